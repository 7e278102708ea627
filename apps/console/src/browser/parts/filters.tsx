import { Button } from './button.tsx'
import { Select } from './field.tsx'
import { TypedFilter } from './typed-filter.tsx'

export interface FilterField<Name extends string = string> {
  /** As in the address. */
  readonly name: Name
  readonly label: string
  readonly placeholder?: string
  readonly type?: 'text' | 'search' | 'date'
  /** Value and text of each. If omitted, any text can be typed. */
  readonly options?: readonly (readonly [value: string, text: string])[]
}

type FilterValues<Name extends string> = { readonly [Each in Name]?: string }

interface FiltersProps<Name extends string> {
  readonly fields: readonly FilterField<Name>[]
  readonly values: { readonly [Each in Name]?: string | undefined }
  /** Called with the values that are not empty. */
  readonly onValues: (values: FilterValues<Name>) => void
  readonly hasClear?: boolean
  readonly label?: string
}

/** The filters of a list. */
export function Filters<Name extends string>(props: FiltersProps<Name>) {
  const { fields, values, onValues, hasClear = false, label = 'Filters of the list' } = props
  const set = (name: Name, value: string): void => {
    const kept = Object.entries({ ...values, [name]: value }).filter(([, each]) => each !== '')
    onValues(Object.fromEntries(kept) as FilterValues<Name>)
  }
  return (
    <search className="filters" aria-label={label} data-search>
      {fields.map(({ name, label: text, options, ...rest }) =>
        options === undefined ? (
          <TypedFilter
            key={name}
            label={text}
            value={values[name]}
            onChange={(value) => set(name, value)}
            {...rest}
          />
        ) : (
          <Select
            key={name}
            label={text}
            value={values[name] ?? ''}
            options={options}
            onChange={(value) => set(name, value)}
          />
        ),
      )}
      {hasClear && Object.keys(values).length > 0 && (
        <Button onClick={() => onValues({})}>Clear</Button>
      )}
    </search>
  )
}

/** The filter of lists that have no other. */
export const byNamespace: readonly FilterField<'namespace'>[] = [
  { name: 'namespace', label: 'Namespace', placeholder: 'all' },
]
