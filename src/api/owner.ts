/** Every object of ours carries it, with the installation's name; nothing without it is ever changed or removed. */
export const ownerLabel = 'supercargo.dev/owner';
