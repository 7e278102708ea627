import type { AnyKind } from '@agents/crd'
import {
  conditionsByKind as gitTargetConditions,
  kinds as gitTargetKinds,
} from '@agents/gittarget-api'
import { apiDescription } from '@agents/jangar'
import {
  conditionsByKind as agentsConditions,
  kinds as agentsKinds,
  unreconciledKinds,
} from '@agents/jangar-api'
import { healthConfigMap } from './argocd-health.ts'
import { chartFiles } from './chart/chart-files.ts'
import { conditionSection } from './condition-section.ts'
import { configurationPage } from './configuration-page.ts'
import { crdFile, crdPath } from './crd-file.ts'
import { kindPage, kindPagePath } from './kind-page.ts'

/** Folders that contain only generated files. Other files in them belong to removed kinds and are deleted. */
export const ownedFolders = ['charts/agents/crds', 'docs/api'] as const

/** The content of every generated file, by its path from the root. */
export function generatedFiles(): Map<string, string> {
  const kinds = [...agentsKinds, ...gitTargetKinds]
  return new Map([
    ...kinds.map((kind) => [crdPath(kind), crdFile(kind)] as const),
    ...kinds.map((kind) => {
      const isReconciled = !unreconciledKinds.includes(kind)
      return [kindPagePath(kind), kindPage(kind, conditionsOf(kind), { isReconciled })] as const
    }),
    ['docs/conditions.md', conditionsPage(kinds)],
    ['docs/configuration.md', configurationPage()],
    ['docs/openapi.json', `${JSON.stringify(apiDescription(), null, 2)}\n`],
    ['apps/agentctl/src/cluster/generated/platform-kinds.json', kindNames(kinds)],
    ['argocd/health/argocd-cm.yaml', healthConfigMap(kinds, summaryOf)],
    ...chartFiles(),
  ])
}

/** What agentctl needs to find a kind by its name, without loading the declarations. */
function kindNames(kinds: readonly AnyKind[]): string {
  const names = kinds.map(({ group, version, kind, plural, singular, shortNames = [], scope }) => ({
    ...{ group, version, kind, plural, singular, shortNames, scope },
  }))
  return `${JSON.stringify(names, null, 2)}\n`
}

function conditionsPage(kinds: readonly AnyKind[]): string {
  return [
    '# Conditions and reasons',
    'Written by `npm run generate`. The conditions and reasons of each kind. [status-contract.md](status-contract.md) explains how to read them.',
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
  if (conditions === undefined) throw new Error(`${kind} does not declare its conditions`)
  return conditions
}
