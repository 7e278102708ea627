import { type ChartSnapshot, compareCharts, readBaselines } from '@agents/chart-tools'
import { beforeAll, expect, test } from 'vitest'
import { chart } from '../support/chart/render.ts'
import {
  both,
  type Change,
  inDefinition,
  nothingDecided,
  run,
  schema,
  version,
} from './compat-changes.ts'

let released: ChartSnapshot

beforeAll(async () => {
  const [baseline] = await readBaselines(chart)
  if (baseline === undefined) throw new Error('no baseline found')
  released = baseline.snapshot
})

test.each<{ because: string; change: Change; subject: string }>([
  {
    because: 'a version is removed',
    change: inDefinition(['spec', 'versions', 0, 'name'], 'v2'),
    subject: `${run} v1alpha1`,
  },
  {
    because: 'a definition may be pruned',
    change: inDefinition(
      ['metadata', 'annotations', 'argocd.argoproj.io/sync-options'],
      'ServerSideApply=true',
    ),
    subject: `${run} annotations`,
  },
  {
    because: 'a definition is removed',
    change: (snapshot) => ({ ...snapshot, definitions: snapshot.definitions.slice(1) }),
    subject: 'agentproviders.agents.proompteng.ai',
  },
  {
    because: 'a field is removed',
    change: inDefinition([...schema, 'properties', 'agentRef'], undefined),
    subject: `${run} v1alpha1 .spec.agentRef`,
  },
  {
    because: 'a field becomes required',
    change: inDefinition([...schema, 'required', '+'], 'parameters'),
    subject: `${run} v1alpha1 .spec.parameters#required`,
  },
  {
    because: 'a limit is new',
    change: inDefinition([...schema, 'properties', 'priority', 'maximum'], 1),
    subject: `${run} v1alpha1 .spec.priority#maximum`,
  },
  {
    because: 'a value is removed from an enumeration',
    change: inDefinition(
      [...schema, 'properties', 'runtime', 'properties', 'type', 'enum'],
      ['job'],
    ),
    subject: `${run} v1alpha1 .spec.runtime.type#enum`,
  },
  {
    because: 'a rule is new',
    change: inDefinition([...schema, 'x-kubernetes-validations', '+'], { rule: 'has(self.x)' }),
    subject: `${run} v1alpha1 .spec#rule has(self.x)`,
  },
  {
    because: 'a rule changes',
    change: inDefinition([...schema, 'x-kubernetes-validations', 0, 'rule'], 'has(self.x)'),
    subject: `${run} v1alpha1 .spec#rule has(self.x)`,
  },
  {
    because: 'a version is no longer served',
    change: inDefinition([...version, 'served'], false),
    subject: `${run} v1alpha1 served`,
  },
  {
    because: 'objects are stored in another version',
    change: both(
      inDefinition(['spec', 'versions', '+'], { name: 'v1', served: true, storage: true }),
      inDefinition([...version, 'storage'], false),
    ),
    subject: `${run} storage`,
  },
  {
    because: 'the status subresource is removed',
    change: inDefinition([...version, 'subresources'], {}),
    subject: `${run} v1alpha1 subresources.status`,
  },
  {
    because: 'a printer column is removed',
    change: inDefinition([...version, 'additionalPrinterColumns', 0], { name: 'Other' }),
    subject: `${run} v1alpha1 additionalPrinterColumns Phase`,
  },
  {
    because: 'a printer column shows another field',
    change: inDefinition([...version, 'additionalPrinterColumns', 0, 'jsonPath'], '.spec.x'),
    subject: `${run} v1alpha1 additionalPrinterColumns Phase`,
  },
  {
    because: 'the short names change',
    change: inDefinition(['spec', 'names', 'shortNames'], ['run']),
    subject: `${run} names.shortNames`,
  },
  {
    because: 'the categories change',
    change: inDefinition(['spec', 'names', 'categories'], []),
    subject: `${run} names.categories`,
  },
  {
    because: 'the singular name changes',
    change: inDefinition(['spec', 'names', 'singular'], 'run'),
    subject: `${run} names.singular`,
  },
  {
    because: 'a conversion webhook is added',
    change: inDefinition(['spec', 'conversion'], { strategy: 'Webhook' }),
    subject: `${run} conversion`,
  },
  {
    because: 'the scope changes',
    change: inDefinition(['spec', 'scope'], 'Cluster'),
    subject: `${run} scope`,
  },
])('C7: $because', ({ change, subject }) => {
  const found = compareCharts(released, change(released), nothingDecided)
  expect(found.map((finding) => `${finding.rule} ${finding.subject}`)).toContain(`C7 ${subject}`)
})
