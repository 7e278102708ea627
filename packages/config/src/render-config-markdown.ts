import { type Declaration, listSettings, type Setting } from './setting.ts'

/** Renders the reference of all settings: a section with a table for each process. */
export function renderConfigMarkdown(processes: Readonly<Record<string, Declaration>>): string {
  const sections = Object.entries(processes).map(([process, declaration]) =>
    [
      `## ${process}`,
      '',
      row('Variable', 'Value', 'Default', 'Chart value', 'Meaning'),
      row('---', '---', '---', '---', '---'),
      ...listSettings(declaration).map(({ setting }) => renderSetting(setting)),
      '',
    ].join('\n'),
  )
  return sections.join('\n')
}

function renderSetting(setting: Setting<unknown>): string {
  return row(
    code(setting.env),
    plain(setting.secret ? `${setting.expected}; secret` : setting.expected),
    renderDefault(setting),
    setting.chart === undefined ? '' : code(setting.chart),
    plain(setting.doc),
  )
}

function renderDefault({ presence, secret, show }: Setting<unknown>): string {
  if (presence.kind === 'required') return '**required**'
  if (presence.kind === 'optional') return 'not set'
  if (secret) return 'set'
  const displayed = show(presence.fallback)
  return code(typeof displayed === 'string' ? displayed : JSON.stringify(displayed))
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** Escapes text for a table cell. A bar would end the cell, in code as well. */
function plain(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '&lt;')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}
