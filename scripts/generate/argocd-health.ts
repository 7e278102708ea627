import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyKind } from '@agents/crd'
import { stringify } from 'yaml'

const folder = join(import.meta.dirname, '..', '..', 'argocd', 'health')

/** The health checks of Argo CD for the project's kinds: a part of its ConfigMap with one key per kind. */
export function healthConfigMap(
  kinds: readonly AnyKind[],
  summaryOf: (kind: AnyKind) => 'Ready' | 'Succeeded',
): string {
  const scripts = { Ready: scriptOf('ready'), Succeeded: scriptOf('run') }
  const entries = kinds.map((kind) => [
    `resource.customizations.health.${kind.group}_${kind.kind}`,
    scripts[summaryOf(kind)],
  ])
  const labels = { 'app.kubernetes.io/name': 'argocd-cm', 'app.kubernetes.io/part-of': 'argocd' }
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace: 'argocd', labels },
    data: Object.fromEntries(entries),
  }
  const head = [
    '# Written by `npm run generate` from */health.lua. Merge it into the ConfigMap of Argo CD:',
    '#   kubectl apply --server-side --field-manager=agents-health -f argocd/health/argocd-cm.yaml',
  ]
  return `${head.join('\n')}\n${stringify(configMap, { lineWidth: 0 })}`
}

function scriptOf(style: string): string {
  return readFileSync(join(folder, style, 'health.lua'), 'utf8')
}
