import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { Language, OperationMethod, OperationResource } from '../../../prisma/generated/client/enums.ts';
import type PrismaTypes from '../../../prisma/generated/pothos.ts';
import { getDatamodel } from '../../../prisma/generated/pothos.ts';
import type { KeptValue } from '../../catalog/index.ts';
import type { Scope } from '../../tenants/index.ts';
import { requireScope, tenantOf } from './context.ts';
import type { Context } from './context.ts';
import type { UploadValue } from './upload-value.ts';

type SchemaTypes = {
  Context: Context;
  PrismaTypes: PrismaTypes;
  AuthScopes: { scope: Scope };
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    BigInt: { Input: number; Output: number | bigint };
    Upload: { Input: UploadValue; Output: never };
    DateTime: { Input: Date; Output: Date | string };
    FacetKey: { Input: never; Output: string | boolean };
    FieldValue: { Input: never; Output: KeptValue };
    AnalyzedRecord: { Input: Readonly<Record<string, unknown>>; Output: Readonly<Record<string, unknown>> };
  };
};

/** The builder that every file in this folder extends. Fields are non-null unless declared otherwise. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authorizeOnSubscribe: true,
    authScopes: (context) => ({
      scope: (scope) => {
        requireScope(context, scope);
        return true;
      },
    }),
  },
  prisma: {
    client: (context) => tenantOf(context).prisma,
    dmmf: getDatamodel(),
    exposeDescriptions: false,
    onUnusedQuery: null,
  },
});

/** Builds the fields of an object type. */
export type FieldBuilder<Shape> = Parameters<
  NonNullable<Parameters<ReturnType<typeof builder.objectRef<Shape>>['implement']>[0]['fields']>
>[0];

builder.queryType({ description: 'Reads.' });
builder.mutationType({
  description: 'Writes. Writes of images and videos run as operations, which can be followed and aborted.',
});
builder.subscriptionType({ description: 'Events, by server-sent events or WebSocket.' });

export const LanguageEnum = builder.enumType(Language, { name: 'Language', description: 'Language of texts.' });
export const OperationMethodEnum = builder.enumType(OperationMethod, {
  name: 'OperationMethod',
  description: 'What an operation does: add, change, delete, or several of these.',
});
export const OperationResourceEnum = builder.enumType(OperationResource, {
  name: 'OperationResource',
  description: 'What an operation is about. `celebs` is never written here.',
});
