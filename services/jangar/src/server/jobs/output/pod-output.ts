import type { KubeClient, Pod } from '@agents/kube'
import type { Logger } from '@agents/log'
import {
  createSecretMask,
  hiddenNotice,
  type SecretMask,
} from '../../../run-contract/secrets/secret-mask.ts'
import { endOfCheckout, endOfPublish, endOfWork, mainContainer } from '../pod-state.ts'
import { type LogTail, readLogTail } from './log-tail.ts'
import { readSecretValues } from './secret-values.ts'

/** The output of a pod's program, and what is needed to mask it. */
export type PodOutput =
  | {
      readonly kind: 'maskable'
      readonly mask: SecretMask
      /** A Secret that changed while the pod ran: text that is not masked yet may contain its old values. */
      readonly changed?: string
      /** Read if the program failed and left no message. */
      readonly tail?: LogTail
    }
  /** Nothing is shown, since values of a Secret cannot be masked. The reason is shown to users. */
  | { readonly kind: 'hidden'; readonly because: string }

/** The output of a program that wrote nothing. */
export const noOutput: PodOutput = { kind: 'maskable', mask: createSecretMask([]) }

/** Reads the values of the pod's Secrets and the end of the log, if there is output to show. */
export async function podOutput(
  ports: { readonly client: Pick<KubeClient, 'get' | 'podLog'>; readonly log: Logger },
  pod: Pod,
  hasFailed: boolean,
  signal: AbortSignal,
): Promise<PodOutput> {
  const message = endOfWork(pod)?.message ?? ''
  const container = mainContainer(pod)
  const wantsTail = hasFailed && message === '' && container !== undefined
  const hasOtherMessage = [endOfPublish(pod), endOfCheckout(pod)].some((end) => end?.message)
  if (message === '' && !hasOtherMessage && !wantsTail) return noOutput
  const secrets = await readSecretValues(ports, pod, signal)
  if (secrets.kind === 'unknown') return { kind: 'hidden', because: secrets.because }
  const { values, changed } = secrets
  const mask = createSecretMask(values)
  if (mask.hidesAll) return { kind: 'hidden', because: hiddenNotice }
  const tail = wantsTail
    ? await readLogTail(ports.client, pod.metadata, container, signal)
    : undefined
  return {
    kind: 'maskable',
    mask,
    ...(changed !== undefined && { changed }),
    ...(tail && { tail }),
  }
}
