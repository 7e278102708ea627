/** Fields that differ from run to run, or that another suite covers. */
const dropped = new Set(['managedFields', 'resourceVersion', 'nodePort'])

/**
 * An answer without random parts: ids, times, addresses, generated names. Causes are sometimes in the random order of
 * Go maps, and the differences that a rejected update prints are Go's own format of the object.
 */
export function normalizeAnswer(value: unknown): unknown {
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

function normalizeText(text: string): string {
  return text
    .replace(/\n@@[\s\S]*$/, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/kube-api-access-\w{5}/g, 'kube-api-access-<random>')
    .replace(/^20[3-9]\d-.*Z$|^202[6-9]-(?!01-01).*Z$/, '<time>')
    .replace(/^eyJ[\w.-]+$/, '<token>')
    .replace(/^10\.\d+\.\d+\.\d+$/, '<address>')
}

// A message repeats the causes in their order; without causes it is compared.
function isStatus(value: object): boolean {
  return (
    'kind' in value &&
    value.kind === 'Status' &&
    'details' in value &&
    typeof value.details === 'object' &&
    value.details !== null &&
    'causes' in value.details
  )
}

function sortedCauses(causes: unknown): unknown {
  return Array.isArray(causes)
    ? causes
        .map((cause) => JSON.stringify(normalizeAnswer(cause)))
        .sort()
        .map((text) => JSON.parse(text) as unknown)
    : causes
}
