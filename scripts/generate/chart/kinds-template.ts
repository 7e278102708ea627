import type { AnyKind } from '@agents/crd'

/** templates/_kinds.tpl: the resources of each service by API group, for Roles that follow the kinds. */
export function kindsTemplate(services: Readonly<Record<string, readonly AnyKind[]>>): string {
  const blocks = Object.entries(services).flatMap(([service, kinds]) => [
    `{{- define "agents.kinds.${service}" -}}`,
    ...[...Map.groupBy(kinds, ({ group }) => group)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([group, members]) =>
          `${group}: [${members
            .map(({ plural }) => plural)
            .sort()
            .join(', ')}]`,
      ),
    '{{- end -}}',
  ])
  return [
    '{{- /* Written by "npm run generate" from the declarations of the kinds. Edit those instead. */ -}}',
    ...blocks,
    '',
  ].join('\n')
}
