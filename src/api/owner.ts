/**
 * Label of every object of an installation, with the installation's name. Objects without it are never changed or
 * removed.
 */
export const ownerLabel = 'supercargo.dev/owner';
