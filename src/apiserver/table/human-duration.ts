/** Two or three significant figures of a duration, as every AGE column shows it: 5s, 3m12s, 5d4h, 2y30d. */
export function renderHumanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  // Clocks differ a little: one second into the future still counts as now.
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return withRest(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (years < 8) return withRest(years, 'y', days % 365, 'd');
  return `${years}y`;
}

/** The time since a timestamp, or `<unknown>` where there is none. */
export function renderAge(timestamp: string | null | undefined, now: number): string {
  if (!timestamp) return '<unknown>';
  return renderHumanDuration(now - Date.parse(timestamp));
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
}
