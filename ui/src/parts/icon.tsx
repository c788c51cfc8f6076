import type { JSX } from 'preact';

const paths = {
  overview: 'M2.500 2.500h4.500v6h-4.500zM9 2.500h4.500v3.500H9zM9 8h4.500v5.500H9zM2.500 10.500h4.500v3h-4.500z',
  images: 'M8 1.800 13.500 4.900v6.200L8 14.200 2.500 11.100V4.900zM2.500 4.900 8 8l5.500-3.100M8 8v6.200',
  copies: 'M5.500 5.500v-3h8v8h-3M2.500 5.500h8v8h-8z',
  pipeline:
    'M4 5.500v5M4 5.500a1.750 1.750 0 1 0 0-3.500 1.750 1.750 0 0 0 0 3.500ZM4 14a1.750 1.750 0 1 0 0-3.500A1.750 1.750 0 0 0 4 14ZM12 5.500a1.750 1.750 0 1 0 0-3.500 1.750 1.750 0 0 0 0 3.500Zm0 0c0 3-2 3.500-4 3.500s-4 .5-4 1.500',
  results:
    'M8 1.800 13 3.700v4c0 3.300-2.200 5.400-5 6.500-2.800-1.100-5-3.200-5-6.500v-4zM5.800 7.900l1.600 1.600 3-3.200',
  jobs: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.700 5.700v4.600L10.300 8z',
  system: 'M2.500 3h11v4h-11zM2.500 9h11v4h-11zM5 5h.01M5 11h.01',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.600 10.600 14 14',
  down: 'M4.500 6.500 8 10l3.500-3.500',
  up: 'M4.500 9.500 8 6l3.500 3.500',
  right: 'M6.500 4.500 10 8l-3.500 3.500',
  check: 'M3 8.500 6.300 11.800 13 4.800',
  cross: 'M4 4l8 8M12 4l-8 8',
  alert: 'M8 2.300 14.300 13.200H1.700zM8 6.500v3M8 11.300v.01',
  dot: 'M8 9.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Z',
  dash: 'M4.500 8h7',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.800V8l2.200 1.500',
  spin: 'M13.500 8A5.500 5.500 0 1 1 8 2.500',
  skip: 'M3.500 4l4.500 4-4.500 4zM8.500 4 13 8l-4.500 4z',
  moved: 'M2.500 8h10M9 4.500 12.500 8 9 11.500',
  clipboard: 'M5.500 3.500h-2v10h9v-10h-2M5.500 2h5v3h-5z',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.200v1.300M8 13.500v1.300M1.200 8h1.300M13.500 8h1.300M3.200 3.200l.9.9M11.900 11.900l.9.9M3.200 12.800l.9-.9M11.900 4.100l.9-.9',
  moon: 'M13.500 9.600A5.800 5.800 0 0 1 6.400 2.500a5.800 5.800 0 1 0 7.100 7.100Z',
  screen: 'M2 3h12v8H2zM6 13.500h4',
  help: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.300 6.400a1.750 1.750 0 1 1 2.600 1.500c-.6.4-.9.7-.9 1.400M8 11.200v.01',
  download: 'M8 2.500v7.500M4.800 7 8 10.200 11.200 7M2.500 13.500h11',
  leave: 'M6.500 2.500h-4v11h4M10 5l3 3-3 3M13 8H6',
} as const;

export type IconName = keyof typeof paths;

/** Decoration: what it means is said in words beside it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}
