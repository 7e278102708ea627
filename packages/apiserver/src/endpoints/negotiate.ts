import { notAcceptable } from './api-error.ts'

/** The form of an answer, from the Accept header. */
export interface Output {
  readonly encoding: 'json' | 'yaml'
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  /** Of `meta.k8s.io`, for the forms that are not the object itself. */
  readonly version: MetaVersion
  /** What the Content-Type says. */
  readonly contentType: string
}

export type MetaVersion = 'v1' | 'v1beta1'

const jsonOutput: Output = {
  encoding: 'json',
  as: 'object',
  version: 'v1',
  contentType: 'application/json',
}

/** Protobuf is what upstream lists too; it is understood in requests alone. */
const acceptedTypes = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
]

/**
 * The first clause that can be served wins; protobuf never can, so clients that list JSON behind it get JSON.
 */
export function negotiateOutput(accept: string | undefined, hasTable: boolean): Output {
  // The two headers that nearly all requests carry.
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') {
    return jsonOutput
  }
  for (const clause of clauses(accept)) {
    const encoding = encodingOf(clause.type)
    if (encoding === undefined) continue
    const as = clause.parameters.get('as')
    if (as === undefined) {
      return encoding === 'json'
        ? jsonOutput
        : { encoding, as: 'object', version: 'v1', contentType: 'application/yaml' }
    }
    const group = clause.parameters.get('g')
    const version = clause.parameters.get('v')
    if (group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) continue
    const contentType = `application/${encoding}`
    if (as === 'Table' && hasTable) return { encoding, as: 'Table', version, contentType }
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') {
      return { encoding, as, version, contentType }
    }
  }
  throw notAcceptable(acceptedTypes)
}

interface Clause {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

function clauses(accept: string): Clause[] {
  const parsed = accept.split(',').map((text) => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim())
    const parameters = new Map<string, string>()
    for (const part of rest) {
      const at = part.indexOf('=')
      if (at > 0) parameters.set(part.slice(0, at).trim(), part.slice(at + 1).trim())
    }
    const quality = Number(parameters.get('q') ?? 1)
    return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality }
  })
  return parsed.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality)
}

function encodingOf(type: string): 'json' | 'yaml' | undefined {
  switch (type) {
    case 'application/json':
    case 'application/*':
    case '*/*':
      return 'json'
    case 'application/yaml':
      return 'yaml'
    default:
      return undefined
  }
}
