import { type ChartValue, listValues } from '@agents/chart-tools'
import { table } from '../markdown.ts'
import type { EnvRow } from './env-template.ts'

/** charts/agents/VALUES.md: every value with its default, its meaning and the variable that it sets. */
export function valuesPage(values: readonly ChartValue[], rows: readonly EnvRow[]): string {
  const variables = Map.groupBy(rows, ({ value }) => value)
  const cells = listValues(values)
    .filter(({ children }) => children.length === 0)
    .map(({ path, fallback, description }) => {
      const name = path.join('.')
      const set = (variables.get(name) ?? []).map(({ env }) => `\`${env}\``).join(', ')
      return [`\`${name}\``, `\`${JSON.stringify(fallback)}\``, description, set]
    })
  return [
    '# Values',
    'Written by `npm run generate` from the comments of `values.yaml`. The last column names the variable of the control plane and the controllers that a value sets; what each means there is in `docs/configuration.md`.',
    table(['value', 'default', 'meaning', 'variable'], cells),
    '',
  ].join('\n\n')
}
