import { notAcceptable } from '../status/api-error.ts'
import { acceptClauses } from './accept-clauses.ts'

/** The negotiated form of a response. */
export interface Output {
  readonly encoding: 'json' | 'yaml'
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'
  /** Version of `meta.k8s.io`, for the forms that are not the object itself. */
  readonly version: MetaVersion
  /** The Content-Type of the response. */
  readonly contentType: string
}

export type MetaVersion = 'v1' | 'v1beta1'

const jsonOutput: Output = {
  encoding: 'json',
  as: 'object',
  version: 'v1',
  contentType: 'application/json',
}

/** Lists protobuf like upstream, although it is supported in requests only. */
const acceptedTypes = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
]

const watchTypes = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
]

/** Throws a 406 for a watch in YAML, whose documents clients could not tell apart. */
export function checkWatchOutput({ encoding }: Output): void {
  if (encoding === 'yaml') throw notAcceptable(watchTypes)
}

/**
 * Chooses the first clause that can be served. Protobuf never can, so clients that list JSON after it get JSON.
 */
export function negotiateOutput(accept: string | undefined, hasTable: boolean): Output {
  // The two values that almost all requests have.
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') {
    return jsonOutput
  }
  for (const clause of acceptClauses(accept)) {
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
