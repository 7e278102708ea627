import { duration, json, parseDuration, type Reader } from '@agents/config'

const durations: Reader<Readonly<Record<string, number>>> = {
  expected:
    'an object whose keys are namespaces, and whose values are durations such as "90d", or 0',
  read: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { ok: false }
    const read: Record<string, number> = {}
    for (const [namespace, text] of Object.entries(value)) {
      const ms = text === 0 || text === '0' ? 0 : parseDuration(String(text))
      if (ms === undefined) {
        return { ok: false, detail: `that of ${JSON.stringify(namespace)} is not a duration` }
      }
      read[namespace] = ms
    }
    return { ok: true, value: read }
  },
}

/** How long the archive keeps runs. */
export const archiveRetention = {
  keptMs: duration('JANGAR_ARCHIVE_RETENTION', {
    doc: 'How long archived runs are kept after they have finished. 0: permanently.',
    chart: 'archive.retention',
    bareUnit: 's',
    fallback: 0,
  }),
  byNamespace: json('JANGAR_ARCHIVE_RETENTION_BY_NAMESPACE', durations, {
    doc: 'The same for single namespaces, such as {"team-a": "90d", "team-b": 0}.',
    chart: 'archive.retentionByNamespace',
    fallback: {},
  }),
}
