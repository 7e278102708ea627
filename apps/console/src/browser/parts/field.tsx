import { type ReactNode, type Ref, useId } from 'react'

interface SelectProps {
  readonly label: string
  readonly value: string
  /** Value and text of each. */
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly onChange: (value: string) => void
}

export function Select({ label, value, options, onChange }: SelectProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly hint?: ReactNode
  readonly inputRef?: Ref<HTMLInputElement>
  readonly required?: boolean
  readonly type?: 'text' | 'search' | 'date'
}

export function TextField(props: TextFieldProps) {
  const { label, value, onChange, placeholder, hint, inputRef, required, type = 'text' } = props
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={inputRef}
        type={type}
        value={value}
        placeholder={placeholder}
        required={required}
        spellCheck={false}
        autoComplete="off"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint !== undefined && (
        <div className="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
  )
}

interface TextAreaProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly rows: number
  readonly hint?: ReactNode
  readonly isCode?: boolean
  readonly required?: boolean
}

export function TextArea(props: TextAreaProps) {
  const { label, value, onChange, rows, hint, isCode = false, required } = props
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className={isCode ? 'mono' : undefined}
        rows={rows}
        value={value}
        required={required}
        spellCheck={!isCode}
        wrap={isCode ? 'off' : 'soft'}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint !== undefined && (
        <div className="hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
    </div>
  )
}
