/** The folder of the project. */
export const root: string;
/** Installs dependencies unless they are those of package-lock.json. */
export function install(): void;
/** Builds dist unless it is newer than its source. */
export function build(): void;
