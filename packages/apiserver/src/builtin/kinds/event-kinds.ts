import type { FieldError } from '@agents/crd'
import { isJsonObject } from '../../json/json-value.ts'
import { labelKey } from '../../metadata/name-rules.ts'
import { invalidValue, requiredValue } from '../../status/field-errors.ts'
import { type Fields, part, text } from '../fields.ts'
import type { BuiltinObject, KindRules } from '../strategy/kind-rules.ts'
import { immutable } from '../validation/value-errors.ts'

/** Rules of events in the core group, which is also the stored form. */
export const coreEventRules: KindRules = {
  allowCreateOnUpdate: true,
  validate: (event) => eventErrors(event, 'reportingComponent'),
  selectable: eventFields('involvedObject', 'reportingComponent', 'source'),
}

/** Rules of events in events.k8s.io. */
export const eventRules: KindRules = {
  allowCreateOnUpdate: true,
  validate: (event) => eventErrors(coreEvent(event), 'reportingController'),
  validateCreate: (event) => strictEventErrors(event),
  validateUpdate: (next, old) => strictEventErrors(next, old),
  selectable: eventFields('regarding', 'reportingController', 'deprecatedSource'),
}

/** Stricter than for the core group: deprecated fields must not be set, and only the series can change. */
function strictEventErrors(given: BuiltinObject, old?: BuiltinObject): FieldError[] {
  const event = coreEvent(given)
  const errors: FieldError[] = []
  if (isJsonObject(event.series)) {
    if (Number(event.series.count ?? 0) < 2) {
      errors.push(invalidValue('series.count', '', 'should be at least 2'))
    }
    if (text(event.series, 'lastObservedTime') === '') {
      errors.push(requiredValue('series.lastObservedTime', ''))
    }
  }
  if (old !== undefined) return [...errors, ...changeErrors(event, coreEvent(old))]
  if (text(event, 'eventTime') === '') errors.push(requiredValue('eventTime', ''))
  if (event.type !== 'Normal' && event.type !== 'Warning') {
    errors.push(invalidValue('type', '', `has invalid value: ${text(event, 'type')}`))
  }
  const source = part(event, 'source')
  for (const [name, isSet] of [
    ['firstTimestamp', text(event, 'firstTimestamp') !== ''],
    ['lastTimestamp', text(event, 'lastTimestamp') !== ''],
    ['count', (event.count ?? 0) !== 0],
    ['source', Object.keys(source).length > 0],
  ] as const) {
    if (isSet) errors.push(invalidValue(name, '', 'needs to be unset'))
  }
  return errors
}

const renamed = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
] as const

/** Fields that Go writes even if they are empty, which differ between the two groups. */
const coreAlways: Fields = {
  involvedObject: {},
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  reportingComponent: '',
  reportingInstance: '',
}
const eventsAlways: Fields = {
  regarding: {},
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
}

/** Converts from events.k8s.io to core. Does not change its argument. */
export function coreEvent(event: BuiltinObject): BuiltinObject {
  const copy: Fields = { ...event, apiVersion: 'v1' }
  for (const [core, events] of renamed) {
    if (events in copy) copy[core] = copy[events]
    delete copy[events]
  }
  return filled(copy, coreAlways)
}

/** Converts from core to events.k8s.io. Does not change its argument. */
export function eventsEvent(event: BuiltinObject): BuiltinObject {
  const copy: Fields = { ...event, apiVersion: 'events.k8s.io/v1' }
  for (const [core, events] of renamed) {
    if (core in copy) copy[events] = copy[core]
    delete copy[core]
  }
  for (const name of ['reportingController', 'reportingInstance']) {
    if (copy[name] === '') delete copy[name]
  }
  return filled(copy, eventsAlways)
}

function filled(copy: Fields, always: Fields): BuiltinObject {
  for (const [name, value] of Object.entries(always)) {
    if (copy[name] === undefined) copy[name] = isJsonObject(value) ? {} : value
  }
  return copy as BuiltinObject
}

function eventErrors(event: BuiltinObject, controllerField: string): FieldError[] {
  const involved = text(part(event, 'involvedObject'), 'namespace')
  const namespace = event.metadata.namespace ?? ''
  const mismatch = invalidValue(
    'involvedObject.namespace',
    involved,
    'does not match event.namespace',
  )
  if (text(event, 'eventTime') === '') {
    const fits = involved === '' ? ['', 'default'].includes(namespace) : namespace === involved
    return fits ? [] : [mismatch]
  }
  const errors: FieldError[] = []
  if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') {
    errors.push(mismatch)
  }
  const required: readonly (readonly [string, string, number])[] = [
    [controllerField, text(event, 'reportingComponent'), 128],
    ['reportingInstance', text(event, 'reportingInstance'), 128],
    ['action', text(event, 'action'), 128],
    ['reason', text(event, 'reason'), 128],
  ]
  for (const [field, value, limit] of required) {
    if (value === '') errors.push(requiredValue(field, ''))
    if (Buffer.byteLength(value) > limit) {
      errors.push(invalidValue(field, '', `can have at most ${limit} characters`))
    }
  }
  for (const message of labelKey(text(event, 'reportingComponent'))) {
    errors.push(invalidValue(controllerField, text(event, 'reportingComponent'), message))
  }
  if (Buffer.byteLength(text(event, 'message')) > 1024) {
    errors.push(invalidValue('message', '', 'can have at most 1024 characters'))
  }
  return errors
}

function changeErrors(next: Fields, old: Fields): FieldError[] {
  return [
    'involvedObject',
    'reason',
    'message',
    'source',
    'firstTimestamp',
    'lastTimestamp',
    'count',
    'type',
    'eventTime',
    'action',
    'related',
    'reportingComponent',
    'reportingInstance',
  ].flatMap((name) =>
    immutable(next, old, name, name === 'reportingComponent' ? 'reportingController' : name),
  )
}

function eventFields(
  involved: string,
  controller: string,
  source: string,
): NonNullable<KindRules['selectable']> {
  const of =
    (name: string) =>
    (event: BuiltinObject): string =>
      text(part(event, involved), name)
  const names = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']
  return {
    ...Object.fromEntries(names.map((name) => [`${involved}.${name}`, of(name)])),
    reason: (event) => text(event, 'reason'),
    type: (event) => text(event, 'type'),
    [controller]: (event) => text(event, controller),
    // The reporter is in one of two fields.
    ...(source === 'source'
      ? {
          source: (event: BuiltinObject) =>
            text(part(event, 'source'), 'component') || text(event, controller),
        }
      : {}),
  }
}
