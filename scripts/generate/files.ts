import type { AnyKind } from '@agents/crd'
import {
  conditionsByKind as gitTargetConditions,
  kinds as gitTargetKinds,
} from '@agents/gittarget-api'
import { conditionsByKind as agentsConditions, kinds as agentsKinds } from '@agents/jangar-api'
import { chartFiles } from '../chart/chart-files.ts'
import { healthConfigMap } from './argocd-health.ts'
import { conditionSection } from './condition-section.ts'
import { configurationPage } from './configuration-page.ts'
import { crdFile, crdPath } from './crd-file.ts'
import { kindPage, kindPagePath } from './kind-page.ts'

/** Folders in which every file is generated: one that is not comes from a kind that is gone. */
export const ownedFolders = ['charts/agents/crds', 'docs/api'] as const

/** Every derived file, by its path from the root. */
export function generatedFiles(): Map<string, string> {
  const kinds = [...agentsKinds, ...gitTargetKinds]
  return new Map([
    ...kinds.map((kind) => [crdPath(kind), crdFile(kind)] as const),
    ...kinds.map((kind) => [kindPagePath(kind), kindPage(kind, conditionsOf(kind))] as const),
    ['docs/conditions.md', conditionsPage(kinds)],
    ['docs/configuration.md', configurationPage()],
    ['argocd/health/argocd-cm.yaml', healthConfigMap(kinds, summaryOf)],
    ...chartFiles(),
  ])
}

function conditionsPage(kinds: readonly AnyKind[]): string {
  return [
    '# Conditions and reasons',
    'Written by `npm run generate`. What every status can say, kind by kind. [status-contract.md](status-contract.md) says how to read it.',
    ...kinds.flatMap((kind) => [`## ${kind.kind}`, conditionsOf(kind)]),
    '',
  ].join('\n\n')
}

const conditionsByKind = { ...agentsConditions, ...gitTargetConditions }

function conditionsOf(kind: AnyKind): string {
  return conditionSection(declaredFor(kind))
}

function summaryOf(kind: AnyKind): 'Ready' | 'Succeeded' {
  return declaredFor(kind).summary
}

function declaredFor({ kind }: AnyKind) {
  const conditions = conditionsByKind[kind]
  if (conditions === undefined) throw new Error(`${kind} declares no conditions`)
  return conditions
}
