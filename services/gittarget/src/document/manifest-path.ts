interface ManifestLocation {
  readonly group: string
  /** Plural, as in URLs. */
  readonly resource: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
}

/** Default path of an object's file, relative to the target's folder: `namespace/group/resource/name.yaml`. */
export function manifestPath({ group, resource, namespace, name }: ManifestLocation): string {
  return [
    namespace === '' ? cluster : escapeSegment(namespace, cluster),
    group === '' ? core : escapeSegment(group, core),
    escapeSegment(resource),
    `${splitLong(escapeSegment(name))}.yaml`,
  ].join('/')
}

/** The path from the root of the repository of a path below the target's folder. */
export function inFolder(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`
}

/** The object that a default path belongs to; undefined if it is not a path that `manifestPath` returns. */
export function parseManifestPath(path: string): ManifestLocation | undefined {
  const [namespace = '', group = '', resource = '', ...rest] = path.split('/')
  const file = rest.join('/')
  if (rest.length === 0 || !file.endsWith('.yaml')) return undefined
  const place = {
    namespace: namespace === cluster ? '' : unescapeSegment(namespace),
    group: group === core ? '' : unescapeSegment(group),
    resource: unescapeSegment(resource),
    name: unescapeSegment(file.slice(0, -'.yaml'.length).replaceAll(cutMark, '')),
  }
  return manifestPath(place) === path ? place : undefined
}

const cluster = '_cluster'
const core = 'core'

/**
 * Characters that every file system can represent. Capital letters are excluded: `Admin` and `admin` are two Roles,
 * but one file on a case-insensitive file system. A leading dot and device names of Windows are escaped too, and so is
 * the name of a file that Kustomize and Flux would take for one of theirs.
 */
const safe = /[a-z0-9._-]/
const allSafe = /^[a-z0-9._-]*$/
const device = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/
const kustomization = 'kustomization'

export function escapeSegment(text: string, reserved?: string): string {
  const isTaken = text === reserved || text === kustomization
  const startsBadly = text.startsWith('.') || device.test(text) || isTaken
  if (!startsBadly && allSafe.test(text)) return text
  return [...text]
    .map((character, index) =>
      safe.test(character) && !(index === 0 && startsBadly) ? character : escaped(character),
    )
    .join('')
}

/** UTF-8 bytes as in URLs. A lone surrogate, which has none, is escaped by its code unit. */
function escaped(character: string): string {
  if (!character.isWellFormed()) return `%u${hex(character.charCodeAt(0), 4)}`
  return [...Buffer.from(character, 'utf8')].map((byte) => `%${hex(byte, 2)}`).join('')
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0')
}

function unescapeSegment(text: string): string {
  return text.replace(
    /%u([0-9A-F]{4})|((?:%[0-9A-F]{2})+)/g,
    (_all, unit?: string, bytes?: string) =>
      unit === undefined
        ? Buffer.from((bytes ?? '').replaceAll('%', ''), 'hex').toString('utf8')
        : String.fromCharCode(Number.parseInt(unit, 16)),
  )
}

/** Splits names that are too long for file systems into folders. */
export function splitLong(name: string): string {
  if (name.length <= longest) return name
  const end = name.slice(0, longest).replace(/%(?:u[0-9A-F]{0,3}|[0-9A-F]?)$/, '').length
  return `${name.slice(0, end)}${cutMark}${splitLong(name.slice(end))}`
}

/**
 * A sequence that no escape starts with, on both sides of the split. It keeps a folder from having the name of a
 * file, such as `x.yaml`, or a trailing dot, which Windows removes; and the next part from being hidden or a device
 * name.
 */
export const cutMark = '%-/%-'

const longest = 200
