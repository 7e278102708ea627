import { type AnyKind, customResourceDefinition } from '@agents/crd'
import { stringify } from 'yaml'

export function crdPath(kind: AnyKind): string {
  return `charts/agents/crds/${kind.group}_${kind.plural}.yaml`
}

/** The CustomResourceDefinition of a kind as readable YAML with small diffs. */
export function crdFile(kind: AnyKind): string {
  const body = stringify(customResourceDefinition(kind), {
    aliasDuplicateObjects: false,
    lineWidth: 120,
  })
  return `# Written by "npm run generate" from the declaration of ${kind.kind}. Edit that instead.\n${body}`
}
