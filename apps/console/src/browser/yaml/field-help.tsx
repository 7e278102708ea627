import { Plain } from '../parts/plain.tsx'
import { helpAt } from './completion.ts'
import type { KindSchema } from './schema.ts'

interface FieldHelpProps {
  readonly text: string
  /** Where the caret is, or what somebody points at. */
  readonly position: number
  readonly schema: KindSchema | undefined
}

/** What the field of a line means. It has a place even while it is empty: nothing below it moves. */
export function FieldHelp({ text, position, schema }: FieldHelpProps) {
  if (schema === undefined) return null
  const help = position < 0 ? undefined : helpAt(text, position, schema)
  return (
    <p className="field-help">
      {help === undefined ? (
        <span className="quiet">Ctrl+Space suggests what can be written.</span>
      ) : (
        <>
          <code>{help.path}</code> <span className="quiet">{help.type}</span>{' '}
          <Plain text={help.description} />
        </>
      )}
    </p>
  )
}
