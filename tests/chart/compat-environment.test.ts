import { type ChartSnapshot, compareCharts, readBaselines } from '@agents/chart-tools'
import { beforeAll, expect, test } from 'vitest'
import { chart } from '../support/chart/render.ts'
import {
  type Change,
  container,
  inProfile,
  inProfileCalled,
  inValues,
  nothingDecided,
} from './compat-changes.ts'

let released: ChartSnapshot

beforeAll(async () => {
  const [baseline] = await readBaselines(chart)
  if (baseline === undefined) throw new Error('no baseline found')
  released = baseline.snapshot
})

test.each<{ because: string; change: Change; subject: string }>([
  {
    because: 'a variable is removed',
    change: inProfile('Deployment', [...container, 'env'], [], 'agents-controllers'),
    subject: 'apps/Deployment agents/agents-controllers env JANGAR_MIGRATIONS',
  },
  {
    because: 'a process no longer reads a variable that no value sets',
    change: (snapshot) => ({
      ...snapshot,
      variables: { ...snapshot.variables, controllers: [] },
    }),
    subject: 'controllers variable JANGAR_PRIMITIVES_RECONCILER',
  },
  {
    because: 'the variables of a Secret are no longer loaded',
    change: inProfileCalled('overlay')(
      'Deployment',
      [...container, 'envFrom'],
      [],
      'agents-controllers',
    ),
    subject: 'apps/Deployment agents/agents-controllers envFrom agents-github-token-env',
  },
  {
    because: 'a default changes',
    change: inProfile(
      'Deployment',
      [...container, 'env', 0],
      { name: 'JANGAR_POD_NAMESPACE', value: 'x' },
      'agents',
    ),
    subject: 'apps/Deployment agents/agents env JANGAR_POD_NAMESPACE',
  },
  {
    because: 'the default of a value changes',
    change: inValues(['properties', 'replicaCount', 'default'], 2),
    subject: 'value replicaCount',
  },
])('C5: $because', ({ change, subject }) => {
  const found = compareCharts(released, change(released), nothingDecided)
  expect(found.map((finding) => `${finding.rule} ${finding.subject}`)).toContain(`C5 ${subject}`)
})
