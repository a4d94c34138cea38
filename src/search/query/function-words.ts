/** Stop words in the languages of records, folded. */
export const functionWords: ReadonlySet<string> = new Set(
  `a an and are as at be but by for from in into is it its no not of on or over that the their there these this to under with
   un una unos unas y o e u el la los las lo le al del de en con sin por para que es son se su sus como entre sobre
   um uma uns umas os do da dos das no na nos nas ao aos em com sem ou que sao seu sua
   et ou une des les du au aux dans sur avec sans pour par est sont ses ce cette qui
   и в во на с со к ко о об от до по из за у не что это как или для без под над при
   photo photograph picture image foto fotografia imagen imagem фото`.split(/\s+/),
);
