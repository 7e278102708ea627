import type { ManifestIdentity } from './identity.ts'
import { cutMark, escapeSegment, splitLong } from './manifest-path.ts'

/** An object, as far as its path is concerned. */
interface PlacedObject extends ManifestIdentity {
  /** Plural, as in URLs. */
  readonly resource: string
}

/** A layout of the folder other than the default one. */
export interface PathTemplate {
  /** Relative to the target's folder. */
  pathOf(object: PlacedObject): string
  /** Whether the mirror would put the object at this path, whatever its resource is called. */
  isPathOf(path: string, identity: ManifestIdentity): boolean
  /** A text that is equal for types whose objects could get the same path. */
  typeKey(type: Pick<PlacedObject, 'group' | 'kind' | 'resource'>): string
}

type Placeholder = 'name' | 'namespace' | 'kind' | 'resource' | 'group'
type Part = { readonly placeholder: Placeholder } | { readonly text: string }

const placeholder = /\{\{ *(name|namespace|kind|resource|group) *\}\}/

/**
 * `Role` and `role` would be one file on some file systems, so kinds are in lower case. The dash is escaped in kinds,
 * so that it can separate them from what follows.
 */
const values: Readonly<Record<Placeholder, (object: PlacedObject) => string>> = {
  name: ({ name }) => escapeSegment(name),
  namespace: ({ namespace }) =>
    namespace === '' ? '_cluster' : escapeSegment(namespace, '_cluster'),
  kind: ({ kind }) => escapeSegment(kind.toLowerCase()).replaceAll('-', '%2D'),
  resource: ({ resource }) => escapeSegment(resource),
  group: ({ group }) => (group === '' ? 'core' : escapeSegment(group, 'core')),
}

/** Characters, besides `/`, that can follow each value because none contains them. */
const separators: Readonly<Record<Placeholder, string>> = {
  kind: '-._+=,@~',
  resource: '._+=,@~',
  namespace: '.+=,@~',
  group: '_+=,@~',
  name: '+=,@~',
}

export function parsePathTemplate(template: string): PathTemplate {
  const segments = template.split('/').map(partsOf)
  const has = (wanted: Placeholder): boolean =>
    segments.flat().some((part) => 'placeholder' in part && part.placeholder === wanted)
  const pathOf = (object: PlacedObject): string =>
    segments
      .map((parts) => parts.map((part) => textOf(part, object)).join(''))
      .map(splitSegment)
      .join('/')
  return {
    pathOf,
    isPathOf: (path, identity) => {
      const pattern = segments
        .map((parts) => parts.map((part) => patternOf(part, identity)).join(''))
        .join('/')
      return new RegExp(`^${pattern}$`).test(path.replaceAll(cutMark, ''))
    },
    typeKey: ({ group, kind, resource }) =>
      JSON.stringify([
        has('group') && group,
        has('kind') && kind.toLowerCase(),
        has('resource') && resource,
      ]),
  }
}

/**
 * Why two objects could get the same path; undefined if they cannot. The schema of the GitTarget checks the rest:
 * which characters, segments and placeholders a template has.
 */
export function pathTemplateProblem(template: string): string | undefined {
  for (const segment of template.split('/')) {
    const parts = partsOf(segment)
    for (const [index, part] of parts.entries()) {
      if (!('placeholder' in part)) continue
      if (!parts.slice(index + 1).some((later) => 'placeholder' in later)) continue
      const next = parts[index + 1]
      const follower = next !== undefined && 'text' in next ? (next.text[0] ?? '') : ''
      const allowed = separators[part.placeholder]
      if (follower !== '' && allowed.includes(follower)) continue
      const choices = ['/', ...allowed].join(' ')
      return `two objects could get the same path, because nothing separates {{ ${part.placeholder} }} from what follows it; put one of these characters behind it: ${choices}`
    }
  }
  return undefined
}

function partsOf(segment: string): Part[] {
  return segment
    .split(placeholder)
    .map((text, index): Part => (index % 2 === 1 ? { placeholder: text as Placeholder } : { text }))
    .filter((part) => !('text' in part) || part.text !== '')
}

function textOf(part: Part, object: PlacedObject): string {
  return 'text' in part ? part.text : values[part.placeholder](object)
}

function patternOf(part: Part, identity: ManifestIdentity): string {
  if ('text' in part) return RegExp.escape(part.text)
  if (part.placeholder === 'resource') return '[a-z0-9%-]+'
  return RegExp.escape(values[part.placeholder]({ ...identity, resource: '' }))
}

/** Segments that are too long for file systems become folders. */
function splitSegment(segment: string): string {
  const end = segment.endsWith('.yaml') ? '.yaml' : ''
  return `${splitLong(segment.slice(0, segment.length - end.length))}${end}`
}
