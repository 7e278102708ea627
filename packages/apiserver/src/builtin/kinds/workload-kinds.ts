import type { FieldError } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { isJsonObject } from '../../json/json-value.ts'
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status/field-errors.ts'
import { templateGeneration } from '../defaults/workload-defaults.ts'
import { type Fields, number, ownPart, part, text } from '../fields.ts'
import type { BuiltinObject, KindRules } from '../strategy/kind-rules.ts'
import {
  isEmptySelector,
  labelSelectorErrors,
  selectorMatches,
} from '../validation/label-selector.ts'
import { podTemplateErrors } from '../validation/pod-spec.ts'
import { immutable, nonNegative, printedMap } from '../validation/value-errors.ts'

export const deploymentRules: KindRules = {
  generation: true,
  statusKeeps: ['labels'],
  validate: (deployment) => {
    const spec = part(deployment, 'spec')
    return [
      ...nonNegative(spec, 'replicas', 'spec'),
      ...selectedTemplateErrors(spec, 'deployment'),
      ...rollingErrors(part(spec, 'strategy'), 'spec.strategy'),
      ...nonNegative(spec, 'minReadySeconds', 'spec'),
      ...nonNegative(spec, 'revisionHistoryLimit', 'spec'),
      ...deadlineErrors(spec),
    ]
  },
  validateUpdate: (next, old) => selectorUnchanged(next, old),
  validateStatusUpdate: (next, old) => statusErrors(part(next, 'status'), part(old, 'status')),
}

export const replicaSetRules: KindRules = {
  generation: true,
  validate: ({ spec }) => {
    const fields = isJsonObject(spec) ? spec : {}
    return [
      ...nonNegative(fields, 'replicas', 'spec'),
      ...nonNegative(fields, 'minReadySeconds', 'spec'),
      ...selectedTemplateErrors(fields, 'deployment'),
    ]
  },
  validateUpdate: (next, old) => selectorUnchanged(next, old),
}

export const daemonSetRules: KindRules = {
  generation: true,
  prepareForCreate: (set) => stampTemplate(set, 1),
  prepareForUpdate(next, old) {
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0)
    const changed = !sameJson(part(next, 'spec').template, part(old, 'spec').template)
    stampTemplate(next, changed ? before + 1 : before)
  },
  validate: (set) => selectedTemplateErrors(part(set, 'spec'), 'daemonset'),
  validateUpdate: (next, old) => selectorUnchanged(next, old),
}

const mutableStatefulSetFields = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

export const statefulSetRules: KindRules = {
  generation: true,
  validate: (set) => {
    const spec = part(set, 'spec')
    return [
      ...nonNegative(spec, 'replicas', 'spec'),
      ...selectedTemplateErrors(spec, 'statefulset'),
    ]
  },
  validateUpdate(next, old) {
    const before = part(old, 'spec')
    const after = part(next, 'spec')
    const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].some(
      (name) =>
        !mutableStatefulSetFields.includes(name) && immutable(after, before, name, '').length > 0,
    )
    return changed
      ? [
          forbiddenValue(
            'spec',
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
          ),
        ]
      : []
  },
}

export const replicationControllerRules: KindRules = {
  generation: true,
  validate(controller) {
    const spec = part(controller, 'spec')
    const labels = part(spec, 'selector')
    const errors = nonNegative(spec, 'replicas', 'spec')
    if (Object.keys(labels).length === 0) errors.push(requiredValue('spec.selector', ''))
    if (spec.template === undefined) return [...errors, requiredValue('spec.template', '')]
    const selector = { matchLabels: labels }
    return [...errors, ...templateErrors(part(spec, 'template'), selector)]
  },
  selectable: {
    'status.replicas': (controller) => String(number(part(controller, 'status'), 'replicas') ?? 0),
  },
}

export const controllerRevisionRules: KindRules = {
  validate: (revision) => {
    const errors: FieldError[] = []
    if (revision.data === null || revision.data === undefined) {
      errors.push(requiredValue('data', 'data is mandatory'))
    }
    return [...errors, ...nonNegative(revision, 'revision', '')]
  },
  validateUpdate: (next, old) => immutable(next, old, 'data', 'data'),
}

function stampTemplate(set: BuiltinObject, generation: number): void {
  if (generation === 0) return
  set.metadata.annotations = {
    ...set.metadata.annotations,
    [templateGeneration]: String(generation),
  }
}

function selectorUnchanged(next: BuiltinObject, old: BuiltinObject): FieldError[] {
  return immutable(part(next, 'spec'), part(old, 'spec'), 'selector', 'spec.selector')
}

/** Validates the selector and the pod template that it must select, whose restartPolicy must be Always. */
function selectedTemplateErrors(spec: Fields, what: string): FieldError[] {
  const errors: FieldError[] = []
  const { selector } = spec
  if (!isJsonObject(selector)) {
    if (what !== 'daemonset') errors.push(requiredValue('spec.selector', ''))
  } else {
    const wrong = labelSelectorErrors(selector, 'spec.selector')
    errors.push(...wrong)
    if (wrong.length > 0) {
      return [...errors, invalidValue('spec.selector', selector, 'invalid label selector')]
    }
    if (isEmptySelector(selector)) {
      errors.push(invalidValue('spec.selector', selector, `empty selector is invalid for ${what}`))
    }
  }
  const wanted = isJsonObject(selector) ? selector : undefined
  return [...errors, ...templateErrors(part(spec, 'template'), wanted)]
}

function templateErrors(template: Fields, selector: Fields | undefined): FieldError[] {
  const errors: FieldError[] = []
  const labels = part(part(template, 'metadata'), 'labels')
  // A missing selector selects nothing; an empty one is rejected elsewhere.
  if (selector === undefined || !selectorMatches(selector, labels)) {
    errors.push(
      invalidValue(
        'spec.template.metadata.labels',
        printedMap(labels),
        '`selector` does not match template `labels`',
      ),
    )
  }
  errors.push(...podTemplateErrors(template, 'spec.template'))
  const spec = part(template, 'spec')
  if (text(spec, 'restartPolicy') !== 'Always') {
    errors.push(
      unsupportedValue('spec.template.spec.restartPolicy', spec.restartPolicy, ['Always']),
    )
  }
  if (spec.activeDeadlineSeconds !== undefined) {
    errors.push(
      forbiddenValue(
        'spec.template.spec.activeDeadlineSeconds',
        'activeDeadlineSeconds in ReplicaSet is not Supported',
      ),
    )
  }
  return errors
}

function rollingErrors(strategy: Fields, path: string): FieldError[] {
  if (strategy.type === 'Recreate' && strategy.rollingUpdate !== undefined) {
    return [
      forbiddenValue(
        `${path}.rollingUpdate`,
        "may not be specified when strategy `type` is 'Recreate'",
      ),
    ]
  }
  if (strategy.type === 'Recreate') return []
  if (strategy.type !== 'RollingUpdate') {
    // Formatted as Go prints the struct.
    const printed = { Type: strategy.type, RollingUpdate: strategy.rollingUpdate ?? null }
    return [unsupportedValue(path, printed, ['Recreate', 'RollingUpdate'])]
  }
  const rolling = ownPart(strategy, 'rollingUpdate')
  const errors = ['maxUnavailable', 'maxSurge'].flatMap((name) =>
    amountErrors(rolling[name], `${path}.rollingUpdate.${name}`),
  )
  const share = Number(/^(\d+)%$/.exec(String(rolling.maxUnavailable))?.[1] ?? 0)
  if (share > 100) {
    const field = `${path}.rollingUpdate.maxUnavailable`
    errors.push(invalidValue(field, rolling.maxUnavailable, 'must not be greater than 100%'))
  }
  const none = (value: unknown): boolean => value === 0 || value === '0%'
  return none(rolling.maxUnavailable) && none(rolling.maxSurge)
    ? [
        ...errors,
        invalidValue(
          `${path}.rollingUpdate.maxUnavailable`,
          rolling.maxUnavailable,
          'may not be 0 when `maxSurge` is 0',
        ),
      ]
    : errors
}

/** Validates a number or percentage of pods. */
function amountErrors(amount: unknown, field: string): FieldError[] {
  if (typeof amount === 'number' && amount < 0) {
    return [invalidValue(field, amount, 'must be greater than or equal to 0')]
  }
  if (typeof amount !== 'string' || /^\d+%$/.test(amount)) return []
  const why =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
  return [invalidValue(field, amount, why)]
}

function statusErrors(status: Fields, old: Fields): FieldError[] {
  const count = (name: string): number => number(status, name) ?? 0
  const errors = [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ].flatMap((name) => nonNegative(status, name, 'status'))
  for (const name of ['updatedReplicas', 'readyReplicas', 'availableReplicas']) {
    if (count(name) > count('replicas')) {
      const why = 'cannot be greater than status.replicas'
      errors.push(invalidValue(`status.${name}`, count(name), why))
    }
  }
  const available = count('availableReplicas')
  if (available > count('readyReplicas')) {
    const why = 'cannot be greater than readyReplicas'
    errors.push(invalidValue('status.availableReplicas', available, why))
  }
  const collisions = count('collisionCount')
  return collisions < (number(old, 'collisionCount') ?? 0)
    ? [...errors, invalidValue('status.collisionCount', collisions, 'cannot be decremented')]
    : errors
}

function deadlineErrors(spec: Fields): FieldError[] {
  const errors = nonNegative(spec, 'progressDeadlineSeconds', 'spec')
  const deadline = number(spec, 'progressDeadlineSeconds')
  if (deadline !== undefined && deadline <= (number(spec, 'minReadySeconds') ?? 0)) {
    errors.push(
      invalidValue(
        'spec.progressDeadlineSeconds',
        deadline,
        'must be greater than minReadySeconds',
      ),
    )
  }
  return errors
}
