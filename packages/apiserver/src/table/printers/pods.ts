import { age } from '../age.ts'
import {
  ageColumn,
  type Cell,
  column,
  nameColumn,
  type Printer,
  type RowCondition,
  wideColumn,
} from '../printer.ts'
import { type Pod, podState } from './pod-state.ts'

export const podPrinter: Printer = {
  columns: [
    nameColumn,
    column('Ready', { description: 'Containers that are ready, of all.' }),
    column('Status', { description: 'What the pod and its containers are doing.' }),
    column('Restarts', { description: 'How often containers were restarted, and when last.' }),
    ageColumn,
    wideColumn('IP'),
    wideColumn('Node'),
    wideColumn('Nominated Node'),
    wideColumn('Readiness Gates'),
  ],
  cells: (object, now) => podCells(object as Pod, now),
  rowConditions: (object) => completion(object as Pod),
}

function podCells(pod: Pod, now: Date): Cell[] {
  const { reason, ready, total, restarts, lastRestart } = podState(pod)
  const restartText =
    restarts !== 0 && lastRestart !== ''
      ? `${restarts} (${age(lastRestart, now)} ago)`
      : `${restarts}`
  return [
    pod.metadata.name,
    `${ready}/${total}`,
    reason,
    restartText,
    age(pod.metadata.creationTimestamp, now),
    pod.status?.podIPs?.[0]?.ip || '<none>',
    pod.spec?.nodeName || '<none>',
    pod.status?.nominatedNodeName || '<none>',
    readinessGates(pod),
  ]
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? []
  if (gates.length === 0) return '<none>'
  const met = gates.filter(
    ({ conditionType }) =>
      status?.conditions?.find(({ type }) => type === conditionType)?.status === 'True',
  )
  return `${met.length}/${gates.length}`
}

const completed = { type: 'Completed', status: 'True' }

function completion({ status }: Pod): readonly RowCondition[] {
  switch (status?.phase) {
    case 'Succeeded':
      return [{ ...completed, reason: 'Succeeded', message: 'The pod has completed successfully.' }]
    case 'Failed':
      return [{ ...completed, reason: 'Failed', message: 'The pod failed.' }]
    default:
      return []
  }
}
