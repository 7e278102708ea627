import {
  isForbidden,
  isNotFound,
  type KubeClient,
  type Pod,
  type Secret,
  SecretKind,
} from '@agents/kube'
import type { Logger } from '@agents/log'
import { mostSecretBytes } from '../../../run-contract/secrets/searchable-texts.ts'
import { hiddenNotice } from '../../../run-contract/secrets/secret-mask.ts'
import { shortestSecret } from '../../../run-contract/secrets/secret-spellings.ts'
import { secretsOf } from '../../kubernetes/pod-secrets.ts'

/** The current values of a pod's Secrets. Read when they are needed and never stored. */
export type SecretValues =
  | {
      readonly kind: 'known'
      /** Bytes: a Secret may hold binary data. */
      readonly values: readonly Buffer[]
      /** A Secret that changed after the pod was created: the program may have read other values. */
      readonly changed?: string
    }
  /** They can no longer be read, or are too large to be masked. The reason is shown to users. */
  | { readonly kind: 'unknown'; readonly because: string }

export async function readSecretValues(
  { client, log }: { readonly client: Pick<KubeClient, 'get'>; readonly log: Logger },
  { metadata, spec }: Pod,
  signal: AbortSignal,
): Promise<SecretValues> {
  const { namespace } = metadata
  const values: Buffer[] = []
  let bytes = 0
  let changed: string | undefined
  for (const name of secretsOf(spec)) {
    const secret = await client
      .get(SecretKind, { namespace, name }, { signal })
      .catch(ignoreMissing)
    if (secret === undefined) return { kind: 'unknown', because: unmaskable(name, 'deleted') }
    if (changedSince(secret, metadata.creationTimestamp)) changed ??= name
    const read = Object.entries(secret.data ?? {}).map(
      ([key, value]) => [key, Buffer.from(value, 'base64')] as const,
    )
    bytes += read.reduce((sum, [, value]) => sum + value.length, 0)
    if (bytes > mostSecretBytes) return { kind: 'unknown', because: hiddenNotice }
    const short = read.filter(([, value]) => value.length > 0 && isShort(value))
    if (short.length > 0) {
      const keys = short.map(([key]) => key)
      log.warn('secret values too short to be masked', { namespace, secret: name, keys })
    }
    values.push(...read.map(([, value]) => value))
  }
  return { kind: 'known', values, ...(changed !== undefined && { changed }) }
}

function isShort(value: Buffer): boolean {
  return value.toString().trim().length < shortestSecret
}

/** Why output is hidden if a Secret no longer holds the values that the program read. */
export function unmaskable(secret: string, what: 'deleted' | 'changed'): string {
  return `output hidden: Secret ${secret} was ${what} during the run, so its values cannot be masked`
}

function ignoreMissing(error: unknown): undefined {
  if (isNotFound(error) || isForbidden(error)) return undefined
  throw error
}

interface ManagedFields {
  readonly time?: string
  readonly fieldsV1?: Readonly<Record<string, unknown>>
}

/** Whether values were written after the time. Both times are the server's, in whole seconds. */
function changedSince({ metadata }: Secret, time: string | undefined): boolean {
  if (time === undefined) return false
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly ManagedFields[] }
  const writes = managedFields
    .filter(({ fieldsV1 }) => fieldsV1 !== undefined && 'f:data' in fieldsV1)
    .map((entry) => entry.time)
  return [metadata.creationTimestamp, ...writes].some(
    (at) => at !== undefined && Date.parse(at) > Date.parse(time),
  )
}
