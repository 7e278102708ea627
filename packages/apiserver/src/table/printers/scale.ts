import type { KubeObject } from '@agents/kube'
import { age } from '../age.ts'
import { ageColumn, type Cell, column, integerColumn, nameColumn, printer } from '../printer.ts'

/** The Scale of a workload or of a custom resource. */
interface Scale extends KubeObject {
  spec?: { replicas?: number }
  status?: { replicas?: number }
}

const counts = [integerColumn('Desired'), integerColumn('Available')]

export const builtinScalePrinter = printer([column('Name'), ...counts, ageColumn], scaleCells)

/** Like upstream, the columns of custom resources have other types. */
export const customScalePrinter = printer(
  [nameColumn, ...counts, column('Age', { type: 'date', description: ageColumn.description })],
  scaleCells,
)

function scaleCells({ metadata, spec, status }: Scale, now: Date): Cell[] {
  const created = age(metadata.creationTimestamp, now)
  return [metadata.name, spec?.replicas ?? 0, status?.replicas ?? 0, created]
}
