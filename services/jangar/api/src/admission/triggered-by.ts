import { type AdmissionPolicy, celString, deniesUnless, writesOf } from '@agents/crd'
import { agentRun } from '../agents/agent-run/kind.ts'
import { orchestrationRun } from '../orchestration/orchestration-run/kind.ts'
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

/** An expression for whether the request keeps what the object has, which for a new one is nothing. */
function keeps(field: 'labels' | 'annotations'): string {
  const names = Object.values(triggerMetadata[field]).map(celString).join(', ')
  const valueIn = (object: string) =>
    `(has(${object}.metadata.${field}) && name in ${object}.metadata.${field} ? ${object}.metadata.${field}[name] : '')`
  const before = `(request.operation == 'UPDATE' ? ${valueIn('oldObject')} : '')`
  return `[${names}].all(name, ${valueIn('object')} == ${before})`
}

/**
 * A later event on the pull request of a run, such as a failed check, is attributed to whoever triggered the run, and
 * reports about the run are written to the issue. Whoever may create runs could otherwise act for others.
 */
export const guardTriggeredBy: AdmissionPolicy = {
  name: `triggered-by.${agentRun.group}`,
  description:
    'Protects the labels and annotations of a run that say which trigger, event and person started it: only the platform sets and changes them.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([agentRun, orchestrationRun]),
    ...deniesUnless(
      (['labels', 'annotations'] as const).map((field) => ({
        expression: `${isPlatform} || ${keeps(field)}`,
        message: `metadata.${field}: only the platform sets and changes ${Object.values(triggerMetadata[field]).join(', ')}`,
        reason: 'Forbidden',
      })),
    ),
  },
}
