import type { KubeObject } from '@agents/kube'
import type { MetaVersion } from '../endpoints/negotiate.ts'
import { partialMetadata } from '../endpoints/partial-metadata.ts'
import type { IncludeObject, Table, TableConverter } from '../endpoints/table-converter.ts'
import type { Resource, TableColumn } from '../registry/resource.ts'
import { builtinPrinter } from './builtin-printers.ts'
import { customPrinter } from './custom-printer.ts'
import { defaultPrinter } from './default-printer.ts'
import type { Cell, Printer, RowCondition } from './printer.ts'
import { builtinScalePrinter, customScalePrinter } from './printers/scale.ts'

interface Row {
  readonly cells: readonly Cell[]
  readonly conditions?: readonly RowCondition[]
  readonly object: object | null
}

/**
 * Creates the converter for all kinds. Caches the parsed columns of custom resources for as long as they are declared.
 */
export function createTableConverter(): TableConverter {
  const custom = new WeakMap<readonly TableColumn[], Printer>()
  const printerOf = (resource: Resource): Printer => {
    if (!resource.isCustom) return builtinPrinter(resource) ?? defaultPrinter
    const columns = resource.columns ?? noColumns
    const known = custom.get(columns)
    if (known !== undefined) return known
    const made = customPrinter(columns)
    custom.set(columns, made)
    return made
  }

  return (resource, objects, { includeObject, listMeta, version, now, isScale }): Table => {
    const printer = isScale === true ? scalePrinterOf(resource) : printerOf(resource)
    const rows = objects.map((object): Row => {
      const conditions = printer.rowConditions?.(object) ?? []
      return {
        cells: printer.cells(withName(object), now),
        ...(conditions.length === 0 ? {} : { conditions }),
        object: rowObject(object, includeObject, version),
      }
    })
    const empty = rows.length === 0 && printer.nullWhenEmpty === true
    return {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${version}`,
      metadata: listMeta,
      columnDefinitions: printer.columns,
      rows: empty ? null : rows,
    }
  }
}

function scalePrinterOf({ isCustom }: Resource): Printer {
  return isCustom ? customScalePrinter : builtinScalePrinter
}

const noColumns: readonly TableColumn[] = []

/** Bookmarks of a watch have no name. */
function withName(object: KubeObject): KubeObject {
  if (object.metadata.name !== undefined) return object
  return { ...object, metadata: { ...object.metadata, name: '' } }
}

function rowObject(
  object: KubeObject,
  includeObject: IncludeObject,
  version: MetaVersion,
): object | null {
  switch (includeObject) {
    case 'None':
      return null
    case 'Metadata':
      return partialMetadata(object, version)
    case 'Object':
      return object
  }
}
