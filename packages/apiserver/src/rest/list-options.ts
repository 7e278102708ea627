import type { FieldError } from '@agents/crd'
import type { Resource } from '../registry/resource.ts'
import { isTrue } from '../request/request-info.ts'
import {
  checkFieldSelector,
  type FieldRequirement,
  parseFieldSelector,
} from '../selector/field-selector.ts'
import { type LabelRequirement, parseLabelSelector } from '../selector/label-selector.ts'
import { badRequest, invalid } from '../status/api-error.ts'
import { forbiddenValue, unsupportedValue } from '../status/field-errors.ts'

export interface ListOptions {
  readonly watch: boolean
  readonly labels: readonly LabelRequirement[]
  readonly fields: readonly FieldRequirement[]
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  /** 0 for no limit. */
  readonly limit: number
  readonly continueToken: string
  readonly timeoutSeconds: number | undefined
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
}

/** Reads the query of a list, watch or deletecollection; throws upstream's errors if it is invalid. */
export function parseListOptions(
  query: URLSearchParams,
  resource: Resource,
  watch: boolean,
): ListOptions {
  const options: ListOptions = {
    watch,
    labels: parseLabelSelector(query.get('labelSelector') ?? ''),
    fields: parseFieldSelector(query.get('fieldSelector') ?? ''),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: parseInteger(query.get('limit')) ?? 0,
    continueToken: query.get('continue') ?? '',
    timeoutSeconds: parseInteger(query.get('timeoutSeconds')),
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: query.has('sendInitialEvents')
      ? isTrue(query.get('sendInitialEvents'))
      : undefined,
  }
  const defaulted = watch ? withInitialEvents(options) : options
  const errors = watch ? watchErrors(defaulted) : listErrors(defaulted)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  checkFieldSelector(defaulted.fields, resource)
  return defaulted
}

/** Parses an int64 of a query. Throws a 400 with the message of Go's parser. */
export function parseInteger(text: string | null): number | undefined {
  if (text === null) return undefined
  if (!/^[+-]?\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  }
  const value = Number(text)
  if (Math.abs(value) > 2 ** 63) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`)
  }
  return value
}

/** A watch without a resourceVersion starts with the existing objects by default. */
function withInitialEvents(options: ListOptions): ListOptions {
  if (options.sendInitialEvents !== undefined || options.resourceVersionMatch !== '') return options
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') return options
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
}

function listErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = []
  const { resourceVersionMatch: match, resourceVersion } = options
  const field = 'resourceVersionMatch'
  if (match !== '') {
    if (resourceVersion === '') {
      errors.push(
        forbiddenValue(
          field,
          'resourceVersionMatch is forbidden unless resourceVersion is provided',
        ),
      )
    }
    if (options.continueToken !== '') {
      errors.push(
        forbiddenValue(field, 'resourceVersionMatch is forbidden when continue is provided'),
      )
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(unsupportedValue(field, match, ['Exact', 'NotOlderThan', '']))
    }
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(
        forbiddenValue(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      )
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbiddenValue('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

function watchErrors(options: ListOptions): FieldError[] {
  const errors: FieldError[] = []
  const { resourceVersionMatch: match } = options
  const field = 'resourceVersionMatch'
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(
      forbiddenValue(
        field,
        'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      ),
    )
  }
  if (match === '') return errors
  if (options.sendInitialEvents === undefined) {
    errors.push(
      forbiddenValue(
        field,
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    )
  }
  if (match !== 'NotOlderThan') errors.push(unsupportedValue(field, match, ['NotOlderThan']))
  if (options.continueToken !== '') {
    errors.push(
      forbiddenValue(field, 'resourceVersionMatch is forbidden when continue is provided'),
    )
  }
  return errors
}
