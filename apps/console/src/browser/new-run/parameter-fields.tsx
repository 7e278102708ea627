import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Select, TextField } from '../parts/field.tsx'
import { Plain } from '../parts/plain.tsx'
import type { DeclaredParameter } from './declared-parameters.ts'

interface ParameterFieldsProps {
  readonly declared: readonly DeclaredParameter[]
  readonly values: Readonly<Record<string, string>>
  readonly onValues: (values: Readonly<Record<string, string>>) => void
}

/** A field for each declared parameter, and for those that were added. */
export function ParameterFields({ declared, values, onValues }: ParameterFieldsProps) {
  const [added, setAdded] = useState('')
  const names = new Set(declared.map(({ name }) => name))
  const others = Object.keys(values).filter((name) => !names.has(name))
  const set = (name: string, value: string): void => {
    const rest = Object.entries(values).filter(([each]) => each !== name)
    const isOther = !names.has(name)
    onValues(Object.fromEntries(value === '' && !isOther ? rest : [...rest, [name, value]]))
  }
  const add = (): void => {
    const name = added.trim()
    if (name === '' || Object.hasOwn(values, name)) return
    onValues({ ...values, [name]: '' })
    setAdded('')
  }
  return (
    <fieldset className="parameters">
      <legend>Parameters</legend>
      {declared.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values[parameter.name] ?? ''}
          onValue={(value) => set(parameter.name, value)}
        />
      ))}
      {others.map((name) => (
        <div key={name} className="row">
          <TextField
            label={name}
            value={values[name] ?? ''}
            onChange={(value) => set(name, value)}
          />
          <Button
            label={`Remove ${name}`}
            onClick={() => {
              const { [name]: _removed, ...rest } = values
              onValues(rest)
            }}
          >
            Remove
          </Button>
        </div>
      ))}
      <div className="row">
        <TextField label="Another parameter" placeholder="name" value={added} onChange={setAdded} />
        <Button onClick={add}>Add</Button>
      </div>
    </fieldset>
  )
}

interface ParameterFieldProps {
  readonly parameter: DeclaredParameter
  readonly value: string
  readonly onValue: (value: string) => void
}

function ParameterField({ parameter, value, onValue }: ParameterFieldProps) {
  const { name, description, required = false, default: byDefault, enum: allowed } = parameter
  const label = required ? `${name} (required)` : name
  const unset = byDefault === undefined ? 'not set' : `default: ${byDefault}`
  if (allowed !== undefined) {
    const options = [['', unset] as const, ...allowed.map((each) => [each, each] as const)]
    return <Select label={label} value={value} options={options} onChange={onValue} />
  }
  return (
    <TextField
      label={label}
      value={value}
      placeholder={unset}
      onChange={onValue}
      required={required}
      {...(description !== undefined && { hint: <Plain text={description} /> })}
    />
  )
}
