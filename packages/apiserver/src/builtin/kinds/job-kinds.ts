import type { FieldError } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { isJsonObject } from '../../json/json-value.ts'
import { maskTrailingDash, subdomainName } from '../../metadata/name-rules.ts'
import { invalidValue, requiredValue, unsupportedValue } from '../../status/field-errors.ts'
import { type Fields, number, ownPart, part, parts, text } from '../fields.ts'
import type { BuiltinObject, KindRules } from '../strategy/kind-rules.ts'
import { cronProblem } from '../validation/cron-schedule.ts'
import { selectorMatches } from '../validation/label-selector.ts'
import { podTemplateErrors } from '../validation/pod-spec.ts'
import { immutable, nonNegative, printedMap } from '../validation/value-errors.ts'

const controllerUid = 'batch.kubernetes.io/controller-uid'
const jobName = 'batch.kubernetes.io/job-name'

export const jobRules: KindRules = {
  generation: true,
  prepareForCreate(job) {
    const spec = ownPart(job, 'spec')
    if (spec.manualSelector !== true) generateSelector(job, spec)
  },
  validate: (job) => [
    ...selectorErrors(job, part(job, 'spec')),
    ...jobSpecErrors(part(job, 'spec'), 'spec'),
  ],
  validateUpdate(next, old) {
    const after = part(next, 'spec')
    const before = part(old, 'spec')
    return [
      ...completionsErrors(after, before),
      ...immutable(after, before, 'selector', 'spec.selector'),
      ...templateErrors(after, old),
      ...immutableFields.flatMap((name) => immutable(after, before, name, `spec.${name}`)),
    ]
  },
  selectable: {
    'status.successful': (job) => String(number(part(job, 'status'), 'succeeded') ?? 0),
  },
  deletion: {
    defaultPropagation: 'Orphan',
    defaultPropagationWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  },
  warnings: (job) =>
    job.metadata.name.length > 63
      ? [
          `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must be no more than 63 bytes]`,
        ]
      : [],
}

export const cronJobRules: KindRules = {
  generation: true,
  nameRule(name, prefix) {
    const errors = subdomainName(name, prefix)
    // The controller appends eleven characters to get the name of a job.
    return (prefix ? maskTrailingDash(name) : name).length > 52
      ? [...errors, 'must be no more than 52 characters']
      : errors
  },
  validate(cronJob) {
    const spec = part(cronJob, 'spec')
    const jobSpec = part(part(spec, 'jobTemplate'), 'spec')
    return [
      ...scheduleErrors(text(spec, 'schedule')),
      ...nonNegative(spec, 'startingDeadlineSeconds', 'spec'),
      ...timeZoneErrors(spec),
      ...jobSpecErrors(jobSpec, 'spec.jobTemplate.spec'),
      ...nonNegative(spec, 'successfulJobsHistoryLimit', 'spec'),
      ...nonNegative(spec, 'failedJobsHistoryLimit', 'spec'),
    ]
  },
}

const immutableFields = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
]

/** The completions of an indexed job can change together with its parallelism. */
function completionsErrors(after: Fields, before: Fields): FieldError[] {
  const elastic =
    after.completionMode === 'Indexed' &&
    after.completions !== undefined &&
    before.completions !== undefined
  if (!elastic) return immutable(after, before, 'completions', 'spec.completions')
  if (after.completions === before.completions || after.completions === after.parallelism) return []
  const why = `can only be modified in tandem with parallelism`
  return [invalidValue('spec.completions', after.completions, why)]
}

/** Only scheduling and resources of the pod template can change, and only while the job is suspended. */
function templateErrors(after: Fields, old: BuiltinObject): FieldError[] {
  const before = part(old, 'spec')
  if (!isAtRest(before, part(old, 'status'))) {
    return immutable(after, before, 'template', 'spec.template')
  }
  const next = part(part(after, 'template'), 'spec')
  const same = sameJson(
    withoutPlacement(next),
    withoutPlacement(part(part(before, 'template'), 'spec')),
  )
  return same ? [] : [invalidValue('spec.template.spec', next, 'field is immutable')]
}

/** Reports whether a job is suspended and has no active pods. */
function isAtRest(spec: Fields, status: Fields): boolean {
  if (spec.suspend !== true || (number(status, 'active') ?? 0) > 0) return false
  if (status.startTime === undefined) return true
  return parts(status, 'conditions').some(
    (condition) => condition.type === 'Suspended' && condition.status === 'True',
  )
}

function withoutPlacement(podSpec: Fields): Fields {
  const {
    nodeSelector: _nodeSelector,
    tolerations: _tolerations,
    schedulingGates: _gates,
    affinity,
    ...rest
  } = podSpec
  const { nodeAffinity: _nodeAffinity, ...apart } = isJsonObject(affinity) ? affinity : {}
  const bare = (name: string): Fields[] =>
    parts(podSpec, name).map(({ resources: _resources, ...container }) => container)
  return {
    ...rest,
    affinity: apart,
    containers: bare('containers'),
    initContainers: bare('initContainers'),
  }
}

function generateSelector(job: BuiltinObject, spec: Fields): void {
  const labels = ownPart(ownPart(ownPart(spec, 'template'), 'metadata'), 'labels')
  // Labels that were defaulted from the pod template get the generated labels too.
  const shared = sameJson(job.metadata.labels, labels) && Object.keys(labels).length > 0
  // A job without a name is rejected later.
  const { name = '' } = job.metadata
  labels['job-name'] ??= name
  labels[jobName] ??= name
  labels['controller-uid'] ??= job.metadata.uid
  labels[controllerUid] ??= job.metadata.uid
  ownPart(ownPart(spec, 'selector'), 'matchLabels')[controllerUid] ??= job.metadata.uid
  if (shared) job.metadata.labels = { ...(labels as Record<string, string>) }
}

function selectorErrors(job: BuiltinObject, spec: Fields): FieldError[] {
  const labels = part(part(part(spec, 'template'), 'metadata'), 'labels')
  const { selector } = spec
  const errors: FieldError[] = isJsonObject(selector) ? [] : [requiredValue('spec.selector', '')]
  if (!isJsonObject(selector) || !selectorMatches(selector, labels)) {
    errors.push(
      invalidValue(
        'spec.template.metadata.labels',
        printedMap(labels),
        '`selector` does not match template `labels`',
      ),
    )
  }
  if (spec.manualSelector === true || !isJsonObject(selector)) return errors
  const generated = { matchLabels: { [controllerUid]: job.metadata.uid } }
  if (!sameJson(selector, generated)) {
    errors.push(invalidValue('spec.selector', selector, '`selector` not auto-generated'))
  }
  const expected = {
    [controllerUid]: job.metadata.uid,
    'controller-uid': job.metadata.uid,
    [jobName]: job.metadata.name ?? '',
    'job-name': job.metadata.name ?? '',
  }
  const wrong = Object.entries(expected)
    .filter(([key, value]) => labels[key] !== value)
    .map(([key, value]) =>
      invalidValue(
        `spec.template.metadata.labels[${key}]`,
        printedMap(labels),
        `must be '${value}'`,
      ),
    )
  return [...errors, ...wrong]
}

function jobSpecErrors(spec: Fields, path: string): FieldError[] {
  const errors = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ].flatMap((name) => nonNegative(spec, name, path))
  errors.push(...indexErrors(spec, path))
  const manager = text(spec, 'managedBy')
  if (manager !== '' && !/^[a-z0-9.-]+\/.+$/.test(manager)) {
    const why = 'must be a domain-prefixed path (such as "acme.io/foo")'
    errors.push(invalidValue(`${path}.managedBy`, manager, why))
  }
  errors.push(...podTemplateErrors(part(spec, 'template'), `${path}.template`))
  const policy = text(part(part(spec, 'template'), 'spec'), 'restartPolicy')
  const field = `${path}.template.spec.restartPolicy`
  if (policy === 'Always' || policy === '') {
    errors.push(requiredValue(field, 'valid values: "OnFailure", "Never"'))
  } else if (policy !== 'OnFailure' && policy !== 'Never') {
    errors.push(unsupportedValue(field, policy, ['OnFailure', 'Never']))
  } else if (spec.podFailurePolicy !== undefined && policy !== 'Never') {
    const detail = 'only "Never" is supported when podFailurePolicy is specified'
    errors.push(invalidValue(field, policy, detail))
  }
  return errors
}

function indexErrors(spec: Fields, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(requiredValue(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'))
  }
  if (spec.completionMode === 'Indexed') {
    if (spec.completions === undefined) {
      errors.push(requiredValue(`${path}.completions`, 'when completion mode is Indexed'))
    }
    const failures = number(spec, 'maxFailedIndexes')
    if (failures !== undefined && failures > (number(spec, 'completions') ?? failures)) {
      const why = 'must be less than or equal to completions'
      errors.push(invalidValue(`${path}.maxFailedIndexes`, failures, why))
    }
    return errors
  }
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy']) {
    if (spec[name] !== undefined) {
      const printed =
        name === 'successPolicy' ? { Rules: part(spec, name).rules ?? null } : spec[name]
      errors.push(invalidValue(`${path}.${name}`, printed, 'requires indexed completion mode'))
    }
  }
  return errors
}

function scheduleErrors(schedule: string): FieldError[] {
  if (schedule === '') return [requiredValue('spec.schedule', '')]
  const problem = cronProblem(schedule)
  return problem === undefined ? [] : [invalidValue('spec.schedule', schedule, problem)]
}
function timeZoneErrors(spec: Fields): FieldError[] {
  const { timeZone } = spec
  if (typeof timeZone !== 'string') return []
  if (timeZone === '')
    return [invalidValue('spec.timeZone', timeZone, 'timeZone must be nil or non-empty string')]
  if (timeZone.toLowerCase() === 'local') {
    const why =
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    return [
      invalidValue('spec.timeZone', timeZone, why),
      invalidValue('spec.timeZone', timeZone, `unknown time zone ${timeZone}`),
    ]
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return []
  } catch {
    return [invalidValue('spec.timeZone', timeZone, `unknown time zone ${timeZone}`)]
  }
}
