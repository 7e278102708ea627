import type { AnyKind, Schema, ValidationRule } from '@agents/crd'
import { notReconciledReason } from '@agents/status'
import { type FieldRow, fieldRows } from './field-rows.ts'
import { table } from './markdown.ts'

export function kindPagePath(kind: AnyKind): string {
  return `docs/api/${kind.singular}.md`
}

/** The reference page of one kind. */
export function kindPage(
  kind: AnyKind,
  conditions: string,
  { isReconciled = true }: { readonly isReconciled?: boolean } = {},
): string {
  return [
    `# ${kind.kind}`,
    kind.description,
    ...(isReconciled ? [] : [notReconciled(kind)]),
    facts(kind),
    '## Spec',
    fields(kind.spec, 'spec'),
    ...ruleSection(kind),
    '## Status',
    fields(kind.status, 'status'),
    '## Conditions',
    conditions,
    '',
  ].join('\n\n')
}

function notReconciled({ summary }: AnyKind): string {
  const status = summary === 'Ready' ? 'False' : 'Unknown'
  return `**No controller of this release reconciles this kind**: its objects are validated and stored, and have no effect. Their status has \`${summary}=${status}\` with reason \`${notReconciledReason}\`.`
}

function facts(kind: AnyKind): string {
  return table(
    ['apiVersion', 'kind', 'scope', 'short names', 'summary condition'],
    [
      [
        `\`${kind.apiVersion}\``,
        `\`${kind.kind}\``,
        kind.scope,
        (kind.shortNames ?? []).map((name) => `\`${name}\``).join(', '),
        `\`${kind.summary}\``,
      ],
    ],
  )
}

function fields(schema: Schema, path: string): string {
  const rows = fieldRows(schema, path)
  if (rows.length === 0) return 'No fields.'
  return table(
    ['field', 'type', 'required or default', 'meaning'],
    rows.map((row: FieldRow) => [`\`${row.path}\``, row.type, row.presence, row.description]),
  )
}

/** The section of validation rules: one line for each message, with all its fields. */
function ruleSection(kind: AnyKind): string[] {
  const rules = [...rulesBelow(kind.schema, '')]
  if (rules.length === 0) return []
  const items = [...Map.groupBy(rules, ({ message }) => message)].map(([message, group]) => {
    const paths = new Set(group.map(({ path }) => `\`${path === '' ? '.' : path}\``))
    return `- ${[...paths].join(', ')}: ${message}`
  })
  return ['## Rules', items.join('\n')]
}

function* rulesBelow(schema: Schema, path: string): Generator<{ path: string; message: string }> {
  for (const rule of schema['x-kubernetes-validations'] ?? []) {
    yield { path: `${path}${rule.fieldPath ?? ''}`, message: sentence(rule) }
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield* rulesBelow(property, path === '' ? name : `${path}.${name}`)
  }
  if (schema.items) yield* rulesBelow(schema.items, `${path}[]`)
  if (typeof schema.additionalProperties === 'object') {
    yield* rulesBelow(schema.additionalProperties, `${path}.*`)
  }
}

function sentence(rule: ValidationRule): string {
  return rule.message ?? `\`${rule.rule}\``
}
