/** How requests are authorized: by the stored roles and bindings, or not at all. */
export type AuthorizationMode = 'RBAC' | 'AlwaysAllow'
