type SecurityContext = Record<string, unknown>

/** That of the platform's own image; others name theirs in podSecurityContext. */
const USER = 65_532

/** As the restricted Pod Security Standard demands, but for what the platform or the run says otherwise. */
export function podSecurity(
  ...wishes: readonly (Readonly<SecurityContext> | undefined)[]
): SecurityContext {
  const wished = Object.assign({}, ...wishes) as SecurityContext
  return {
    runAsNonRoot: wished.runAsUser !== 0,
    runAsUser: USER,
    runAsGroup: USER,
    fsGroup: USER,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
    ...wished,
  }
}

/** Nobody can wish this away: what runs here was written by a model. */
export function containerSecurity(): SecurityContext {
  return { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
}
