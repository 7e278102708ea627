import type { KubeObject } from '@agents/kube'
import { age } from '../age.ts'
import { ageColumn, column, nameColumn, printer } from '../printer.ts'

interface FlowSchema extends KubeObject {
  spec?: {
    priorityLevelConfiguration?: { name?: string }
    matchingPrecedence?: number
    distinguisherMethod?: { type?: string }
  }
  status?: { conditions?: readonly { type?: string; status?: string }[] }
}

interface PriorityLevel extends KubeObject {
  spec?: {
    type?: string
    limited?: {
      nominalConcurrencyShares?: number
      limitResponse?: { queuing?: { queues: number; handSize: number; queueLengthLimit: number } }
    }
  }
}

export const flowSchemaPrinter = printer<FlowSchema>(
  [
    nameColumn,
    column('PriorityLevel'),
    column('MatchingPrecedence'),
    column('DistinguisherMethod'),
    ageColumn,
    column('MissingPL'),
  ],
  ({ metadata, spec, status }, now) => [
    metadata.name,
    spec?.priorityLevelConfiguration?.name ?? '',
    spec?.matchingPrecedence ?? 0,
    spec?.distinguisherMethod?.type ?? '<none>',
    age(metadata.creationTimestamp, now),
    status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
  ],
)

export const priorityLevelPrinter = printer<PriorityLevel>(
  [
    nameColumn,
    column('Type'),
    column('NominalConcurrencyShares'),
    column('Queues'),
    column('HandSize'),
    column('QueueLengthLimit'),
    ageColumn,
  ],
  ({ metadata, spec }, now) => {
    const queuing = spec?.limited?.limitResponse?.queuing
    return [
      metadata.name,
      spec?.type ?? '',
      spec?.limited?.nominalConcurrencyShares ?? '<none>',
      queuing?.queues ?? '<none>',
      queuing?.handSize ?? '<none>',
      queuing?.queueLengthLimit ?? '<none>',
      age(metadata.creationTimestamp, now),
    ]
  },
)
