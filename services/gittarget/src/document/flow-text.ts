import { isMap, type Json } from './json.ts'
import { flowScalarText, quotedText } from './scalar-text.ts'
import { sortedMembers } from './write-manifest.ts'

/** How values are written within braces and brackets. */
export interface FlowStyle {
  /** Whether every string is quoted, as JSON requires. */
  readonly isJson: boolean
  /** What starts each line of a nested collection, with the line break; undefined if all is on one line. */
  readonly lines?: { readonly start: string; readonly unit: string } | undefined
}

/** A value within braces or brackets. */
export function flowText(value: Json, style: FlowStyle): string {
  if (typeof value === 'string') return stringText(value, style)
  if (Array.isArray(value)) {
    return enclosed(
      value.map((item) => (inner: FlowStyle) => flowText(item, inner)),
      '[]',
      style,
    )
  }
  if (!isMap(value)) return String(value)
  return enclosed(
    sortedMembers(value).map(
      ([key, member]) =>
        (inner: FlowStyle) =>
          flowMember(key, member, inner),
    ),
    '{}',
    style,
  )
}

/** A member of a map within braces. */
export function flowMember(key: string, value: Json, style: FlowStyle): string {
  // Readers search for the colon of a key only within a limited length.
  const name = stringText(key, style)
  const explicit = !style.isJson && name.length > 1000 ? '? ' : ''
  return `${explicit}${name}: ${flowText(value, style)}`
}

function stringText(value: string, { isJson }: FlowStyle): string {
  return isJson ? quotedText(value, 'double') : flowScalarText(value)
}

function enclosed(
  parts: readonly ((style: FlowStyle) => string)[],
  [open, close]: string | readonly [string, string],
  style: FlowStyle,
): string {
  const { lines } = style
  if (lines === undefined || parts.length === 0) {
    return `${open}${parts.map((part) => part(style)).join(', ')}${close}`
  }
  const start = `${lines.start}${lines.unit}`
  const inner = parts.map((part) => part({ ...style, lines: { ...lines, start } }))
  return `${open}${start}${inner.join(`,${start}`)}${lines.start}${close}`
}
