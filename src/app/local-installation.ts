/** The installation that `supercargo up` runs in its own cluster. */
export const localInstallation = { installation: 'supercargo', namespace: 'supercargo' } as const;
