export interface ManifestPlace {
  readonly group: string
  /** Plural, as in URLs. */
  readonly resource: string
  /** Empty for objects of the cluster. */
  readonly namespace: string
  readonly name: string
}

/** Where an object's file is when nobody has moved it: `namespace/group/resource/name.yaml`, below the target's folder. */
export const manifestPath = ({ group, resource, namespace, name }: ManifestPlace): string =>
  [
    namespace === '' ? CLUSTER : escapeSegment(namespace, CLUSTER),
    group === '' ? CORE : escapeSegment(group, CORE),
    escapeSegment(resource),
    `${chunked(escapeSegment(name))}.yaml`,
  ].join('/')

/** The place that a path stands for, or undefined when it is none that `manifestPath` gives. */
export const parseManifestPath = (path: string): ManifestPlace | undefined => {
  const [namespace = '', group = '', resource = '', ...rest] = path.split('/')
  const file = rest.join('/')
  if (rest.length === 0 || !file.endsWith('.yaml')) return undefined
  const place = {
    namespace: namespace === CLUSTER ? '' : unescapeSegment(namespace),
    group: group === CORE ? '' : unescapeSegment(group),
    resource: unescapeSegment(resource),
    name: unescapeSegment(file.slice(0, -'.yaml'.length).replaceAll(CUT, '')),
  }
  return manifestPath(place) === path ? place : undefined
}

const CLUSTER = '_cluster'
const CORE = 'core'

/**
 * What every file system can hold as it is. Capital letters are not among it: `Admin` and `admin` are two Roles, and one file where
 * case does not count. A dot may not come first, nor may the whole be a device of Windows.
 */
const SAFE = /[a-z0-9._-]/
const ALL_SAFE = /^[a-z0-9._-]*$/
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/

const escapeSegment = (text: string, reserved?: string): string => {
  const startsBadly = text.startsWith('.') || DEVICE.test(text) || text === reserved
  if (!startsBadly && ALL_SAFE.test(text)) return text
  return [...text]
    .map((character, index) =>
      SAFE.test(character) && !(index === 0 && startsBadly) ? character : escaped(character),
    )
    .join('')
}

/** Bytes of UTF-8 as in URLs; a half of a surrogate pair, which has none, by its number. */
const escaped = (character: string): string => {
  if (!character.isWellFormed()) return `%u${hex(character.charCodeAt(0), 4)}`
  return [...Buffer.from(character, 'utf8')].map((byte) => `%${hex(byte, 2)}`).join('')
}

const hex = (value: number, digits: number): string =>
  value.toString(16).toUpperCase().padStart(digits, '0')

const unescapeSegment = (text: string): string =>
  text.replace(/%u([0-9A-F]{4})|((?:%[0-9A-F]{2})+)/g, (_all, unit?: string, bytes?: string) =>
    unit === undefined
      ? Buffer.from((bytes ?? '').replaceAll('%', ''), 'hex').toString('utf8')
      : String.fromCharCode(Number.parseInt(unit, 16)),
  )

/** Names that no file system holds are cut into folders. */
const chunked = (name: string): string => {
  if (name.length <= LONGEST) return name
  const end = name.slice(0, LONGEST).replace(/%(?:u[0-9A-F]{0,3}|[0-9A-F]?)$/, '').length
  return `${name.slice(0, end)}${CUT}${chunked(name.slice(end))}`
}

/**
 * A sign that no escape starts with, on both sides of the cut: so no folder is called like a file, such as `x.yaml`, or ends with a dot,
 * which Windows would take away; and what comes after is never hidden, nor a device.
 */
const CUT = '%-/%-'

const LONGEST = 200
