import { type AnyKind, customResourceDefinition } from '@agents/crd'
import { stringify } from 'yaml'

export const crdPath = (kind: AnyKind) => `charts/agents/crds/${kind.group}_${kind.plural}.yaml`

/** The CustomResourceDefinition of a kind as YAML that reads and diffs well. */
export function crdFile(kind: AnyKind): string {
  const body = stringify(customResourceDefinition(kind), {
    aliasDuplicateObjects: false,
    lineWidth: 120,
  })
  return `# Written by "npm run generate" from the declaration of ${kind.kind}. Edit that instead.\n${body}`
}
