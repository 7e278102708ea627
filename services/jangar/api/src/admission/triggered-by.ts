import {
  type AdmissionPolicy,
  celString,
  deniesUnless,
  type PolicyValidation,
  writesOf,
} from '@agents/crd'
import { agentRun } from '../agents/agent-run/kind.ts'
import { orchestrationRun } from '../orchestration/orchestration-run/kind.ts'
import { toolRun } from '../tools/tool-run/kind.ts'
import { hasMetadata } from './metadata-field.ts'
import { isPlatform } from './requested-by.ts'

const domain = 'agents.proompteng.ai'

/** On runs of triggers: which trigger and event started it, who caused the event, and the issue or branch. */
export const triggerMetadata = {
  labels: {
    /** The ImplementationSource, also on the specs that it imports. */
    source: `${domain}/implementation-source`,
    spec: `${domain}/implementation-spec`,
    /** On runs of a push: a digest of trigger, repository and branch. */
    branch: `${domain}/trigger-branch`,
  },
  annotations: {
    trigger: `${domain}/trigger`,
    /** The user of the service. */
    actor: `${domain}/triggered-by`,
    actorId: `${domain}/triggered-by-id`,
    event: `${domain}/trigger-event`,
    /** The number of the run on its pull request. */
    round: `${domain}/round`,
  },
} as const

/** On runs that a Schedule has started: which of its times they are for. */
export const scheduledAtAnnotation = 'schedules.proompteng.ai/scheduled-at'

/**
 * An expression for whether the request keeps the labels or annotations with these keys as the object has them; a new
 * object has none.
 */
function keeps(field: keyof PlatformMetadata, keys: readonly string[]): string {
  const names = keys.map(celString).join(', ')
  const valueIn = (object: string) =>
    `(${hasMetadata(object, field)} && name in ${object}.metadata.${field} ? [${object}.metadata.${field}[name]] : [])`
  const before = `(request.operation == 'UPDATE' ? ${valueIn('oldObject')} : [])`
  return `[${names}].all(name, ${valueIn('object')} == ${before})`
}

/** The keys of labels and annotations that only the platform writes. */
export interface PlatformMetadata {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** Demands that only the platform sets and changes these labels and annotations. */
export function onlyPlatformSets(metadata: PlatformMetadata): readonly PolicyValidation[] {
  return (['labels', 'annotations'] as const).map((field) => {
    const keys = Object.values(metadata[field])
    return {
      expression: `${isPlatform} || ${keeps(field, keys)}`,
      message: `metadata.${field}: only the platform sets and changes ${keys.join(', ')}`,
      reason: 'Forbidden',
    }
  })
}

/**
 * A later event on the pull request of a run, such as a failed check, is attributed to whoever triggered the run, and
 * reports about the run are written to the issue. A run that has the time of a Schedule is taken for the one that the
 * Schedule starts then. Whoever may create runs could otherwise act for others.
 */
export const guardTriggeredBy: AdmissionPolicy = {
  name: `triggered-by.${agentRun.group}`,
  description:
    'Protects the labels and annotations of a run that say which trigger, event and person started it, or which time of a Schedule: only the platform sets and changes them.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([agentRun, toolRun, orchestrationRun]),
    ...deniesUnless(
      onlyPlatformSets({
        labels: triggerMetadata.labels,
        annotations: { ...triggerMetadata.annotations, scheduledAt: scheduledAtAnnotation },
      }),
    ),
  },
}
