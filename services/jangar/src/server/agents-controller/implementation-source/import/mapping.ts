import type { SourceIssue } from '../../../inbox/delivery/source-issue.ts'

/** The fields of an ImplementationSpec that `mapping` may name. */
export const mappedFields = ['text', 'summary', 'description'] as const
type MappedField = (typeof mappedFields)[number]

/** The fields of an issue that they may come from. */
export const issueFields = ['title', 'body', 'url', 'externalId'] as const
type IssueField = (typeof issueFields)[number]

const usual: Readonly<Partial<Record<MappedField, IssueField>>> = { text: 'body', summary: 'title' }

const longest: Readonly<Record<MappedField, number>> = {
  text: 131_072,
  summary: 256,
  description: 131_072,
}

/** The texts of an ImplementationSpec. The text is never empty: an issue may have a title alone. */
export function mappedTexts(
  issue: SourceIssue,
  mapping: Readonly<Record<string, string>> = {},
): { readonly text: string; readonly summary?: string; readonly description?: string } {
  const textOf = (field: MappedField): string => {
    const from = mapping[field] ?? usual[field]
    return from === undefined ? '' : clamped(issue[from as IssueField], longest[field])
  }
  const text =
    textOf('text').trim() === '' ? issue.title.trim() || issue.externalId : textOf('text')
  const summary = textOf('summary')
  const description = textOf('description')
  return {
    text: clamped(text, longest.text),
    ...(summary !== '' && { summary }),
    ...(description !== '' && { description }),
  }
}

/** The schema counts characters as UTF-8 decodes them, so none is cut in half. */
function clamped(text: string, most: number): string {
  if (text.length <= most) return text
  return [...text].slice(0, most).join('')
}
