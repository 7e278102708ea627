/** Fields that differ from run to run, or that another suite looks after. */
const dropped = new Set(['managedFields', 'resourceVersion', 'nodePort'])

/**
 * An answer without what chance decides: ids, times, addresses, generated names. The order of causes is Go's order of
 * maps now and then, and the differences that a refused update prints are Go's own form of the object.
 */
export const normalizeAnswer = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(normalizeAnswer)
  if (typeof value === 'string') return normalizeText(value)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([key]) => !dropped.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => [
      key,
      key === 'causes'
        ? sortedCauses(part)
        : key === 'message' && isStatus(value)
          ? ''
          : normalizeAnswer(part),
    ])
  return Object.fromEntries(entries) as unknown
}

const normalizeText = (text: string): string =>
  text
    .replace(/\n@@[\s\S]*$/, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/kube-api-access-\w{5}/g, 'kube-api-access-<random>')
    .replace(/^20[3-9]\d-.*Z$|^202[6-9]-(?!01-01).*Z$/, '<time>')
    .replace(/^eyJ[\w.-]+$/, '<token>')
    .replace(/^10\.\d+\.\d+\.\d+$/, '<address>')

// A message repeats the causes in their order; where there are none it is compared.
const isStatus = (value: object): boolean =>
  'kind' in value &&
  value.kind === 'Status' &&
  'details' in value &&
  typeof value.details === 'object' &&
  value.details !== null &&
  'causes' in value.details

const sortedCauses = (causes: unknown): unknown =>
  Array.isArray(causes)
    ? causes
        .map((cause) => JSON.stringify(normalizeAnswer(cause)))
        .sort()
        .map((text) => JSON.parse(text) as unknown)
    : causes
