import type { PodSecuritySettings } from '../primitives-policy/pod-security-settings.ts'

type SecurityContext = Record<string, unknown>

/** The user of the platform's image. Other images set theirs in podSecurityContext. */
const user = 65_532

/**
 * A security context that satisfies the restricted Pod Security Standard unless the platform's setting loosens it. A
 * run's settings were validated field by field and cannot loosen it.
 */
export function podSecurity(
  platform: Readonly<SecurityContext> | undefined,
  run: PodSecuritySettings | undefined,
): SecurityContext {
  const chosen = { ...withoutNulls(platform ?? {}), ...run }
  return {
    runAsNonRoot: chosen.runAsUser !== 0,
    runAsUser: user,
    runAsGroup: user,
    fsGroup: user,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
    ...chosen,
  }
}

/** A null would remove our default and apply the API server's, which is less strict. */
function withoutNulls(context: Readonly<SecurityContext>): SecurityContext {
  return Object.fromEntries(Object.entries(context).filter(([, value]) => value !== null))
}

/** Not configurable: the container executes code that was written by a model. */
export function containerSecurity(): SecurityContext {
  return { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }
}
