import { duration, json, listOf, oneOf, type Reader } from '@agents/config'

const PREFIX = 'JANGAR_CONFIG_RELOAD'

/** A Secret or ConfigMap that a pod takes variables from. */
export interface WatchedName {
  readonly name: string
  /** Only these count. None: all. */
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

/** What a process does when the Secrets and ConfigMaps behind its variables change: kubelet reads those only when a container starts. */
export const configReload = {
  mode: oneOf(`${PREFIX}_MODE`, ['off', 'exit'], {
    doc: 'exit ends the process when a listed Secret or ConfigMap has other content, so that it starts again with it.',
    chart: 'configReload.mode',
    fallback: 'off',
  }),
  jitterMs: duration(`${PREFIX}_JITTER_SECONDS`, {
    doc: 'The longest wait between the change and the end; each process waits a random part of it, so that replicas do not all end at once.',
    chart: 'configReload.jitterSeconds',
    bareUnit: 's',
    fallback: 30_000,
  }),
  drainTimeoutMs: duration(`${PREFIX}_DRAIN_TIMEOUT_SECONDS`, {
    doc: 'With exit: how long what is under way may take to end, whatever the process ends for.',
    chart: 'configReload.drainTimeoutSeconds',
    bareUnit: 's',
    minMs: 1000,
    fallback: 25_000,
  }),
  secrets: json(`${PREFIX}_SECRETS`, listOf(watchedName), {
    doc: "The Secrets of the pod's namespace to look at.",
    chart: 'rolloutChecksums.secrets',
    fallback: [],
  }),
  configMaps: json(`${PREFIX}_CONFIGMAPS`, listOf(watchedName), {
    doc: "The ConfigMaps of the pod's namespace to look at.",
    chart: 'rolloutChecksums.configMaps',
    fallback: [],
  }),
}
