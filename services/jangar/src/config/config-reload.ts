import { duration, json, listOf, oneOf, type Reader } from '@agents/config'

const prefix = 'JANGAR_CONFIG_RELOAD'

/** A Secret or ConfigMap that a pod takes variables from. */
export interface WatchedName {
  readonly name: string
  /** Keys to watch. Empty: all. */
  readonly keys: readonly string[]
}

const watchedName: Reader<WatchedName> = {
  expected: 'a name, or {"name": …, "keys": […]}',
  read: (value) => {
    if (typeof value === 'string' && value !== '') {
      return { ok: true, value: { name: value, keys: [] } }
    }
    const { name, keys = [] } = (value ?? {}) as { name?: unknown; keys?: unknown }
    const isWhole = typeof name === 'string' && name !== '' && isTexts(keys)
    return isWhole ? { ok: true, value: { name, keys } } : { ok: false }
  },
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/**
 * What a process does when Secrets and ConfigMaps of its variables change: kubelet reads them only at container start.
 */
export const configReload = {
  mode: oneOf(`${prefix}_MODE`, ['off', 'exit'], {
    doc: 'exit ends the process when the content of a listed Secret or ConfigMap changes, so that it restarts with the new content.',
    chart: 'configReload.mode',
    fallback: 'off',
  }),
  jitterMs: duration(`${prefix}_JITTER_SECONDS`, {
    doc: 'Longest delay between the change and the exit. Each process waits a random part of it, so that replicas do not exit at once.',
    chart: 'configReload.jitterSeconds',
    bareUnit: 's',
    fallback: 30_000,
  }),
  drainTimeoutMs: duration(`${prefix}_DRAIN_TIMEOUT_SECONDS`, {
    doc: 'With mode exit: how long work in progress may take to finish when the process stops, for any reason.',
    chart: 'configReload.drainTimeoutSeconds',
    bareUnit: 's',
    minMs: 1000,
    fallback: 25_000,
  }),
  secrets: json(`${prefix}_SECRETS`, listOf(watchedName), {
    doc: 'The Secrets to watch, in the namespace of the pod.',
    chart: 'rolloutChecksums.secrets',
    fallback: [],
  }),
  configMaps: json(`${prefix}_CONFIGMAPS`, listOf(watchedName), {
    doc: 'The ConfigMaps to watch, in the namespace of the pod.',
    chart: 'rolloutChecksums.configMaps',
    fallback: [],
  }),
}
