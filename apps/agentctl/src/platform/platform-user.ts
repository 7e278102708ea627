/** The user of the platform's own components. People are `admin`, unless they use a ServiceAccount. */
export const platformUser = { name: 'system:agents-platform', groups: ['system:masters'] }
