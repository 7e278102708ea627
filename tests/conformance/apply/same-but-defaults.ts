import type { Json } from '@agents/crd'

/** Fields that the real server defaults in the built-in kinds that are compared. */
const defaulted = new Set(
  [
    'status imagePullPolicy terminationMessagePath terminationMessagePolicy resources requests protocol defaultMode',
    'restartPolicy terminationGracePeriodSeconds dnsPolicy securityContext schedulerName revisionHistoryLimit',
    'progressDeadlineSeconds replicas strategy rollingUpdate maxSurge maxUnavailable type targetPort sessionAffinity',
    'sessionAffinityConfig clientIP timeoutSeconds internalTrafficPolicy clusterIPs ipFamilies ipFamilyPolicy',
  ].flatMap((line) => line.split(' ')),
)

/**
 * Paths at which two objects differ by more than defaults. Null, empty, zero and absent are equal for built-in kinds.
 */
export function lostOrInvented(
  ours: Json | undefined,
  real: Json | undefined,
  path = '',
): string[] {
  if (isNothing(ours) && isNothing(real)) return []
  if (isObject(ours) && isObject(real)) {
    const names = new Set([...Object.keys(ours), ...Object.keys(real)])
    return [...names].flatMap((name) =>
      isNothing(ours[name]) && defaulted.has(name)
        ? []
        : lostOrInvented(ours[name], real[name], `${path}.${name}`),
    )
  }
  if (Array.isArray(ours) && Array.isArray(real) && ours.length === real.length) {
    return ours.flatMap((item, index) => lostOrInvented(item, real[index], `${path}[${index}]`))
  }
  return ours === real
    ? []
    : [`${path}: ${JSON.stringify(ours)} here, ${JSON.stringify(real)} there`]
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNothing(value: Json | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    value === 0 ||
    value === false ||
    (Array.isArray(value) && value.length === 0) ||
    (isObject(value) && Object.values(value).every(isNothing))
  )
}
