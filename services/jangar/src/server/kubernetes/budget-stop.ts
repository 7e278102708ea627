import type { KubeObject } from '@agents/kube'

/** On a run that is cancelled because a Budget is passed: the name of the Budget. */
const stoppedBy = 'budgets.proompteng.ai/stopped-by'

type CancellableRun = KubeObject & {
  readonly spec?: { readonly cancel?: boolean | undefined } | undefined
}

/**
 * The Budget because of which a run was cancelled, itself or the tree that it belongs to. Whoever may cancel a run can
 * name one; nothing follows from it but the reason that the run shows.
 */
export function stoppingBudget({ metadata, spec }: CancellableRun): string | undefined {
  const name = metadata.annotations?.[stoppedBy] ?? ''
  return spec?.cancel === true && /^[a-z0-9][-.a-z0-9]{0,252}$/.test(name) ? name : undefined
}

/** Cancels a run, because of a Budget if one is named. */
export function cancelPatch(budget: string | undefined) {
  const spec = { cancel: true }
  return budget === undefined
    ? { spec }
    : { metadata: { annotations: { [stoppedBy]: budget } }, spec }
}

export function stopMessage(budget: string): string {
  return `stopped because the limit of Budget ${budget} is passed`
}
