type Toleration = Readonly<Record<string, unknown>>

/** Taints that keep workloads off control plane nodes. */
const controlPlaneKeys = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

/**
 * Why a run may not tolerate a taint: commands of a model must not run on control plane nodes. A toleration without a
 * key tolerates every taint.
 */
export function tolerationProblem(tolerations: readonly Toleration[] = []): string | undefined {
  for (const [index, { key }] of tolerations.entries()) {
    const at = `tolerations[${index}]`
    if (key === undefined || key === null || key === '') {
      return `${at} tolerates every taint; set a key`
    }
    if (controlPlaneKeys.includes(String(key))) {
      return `${at} would run the pod on a node of the control plane; remove it`
    }
  }
  return undefined
}
