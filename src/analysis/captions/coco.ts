import type { Language } from '../facts.ts';

/** The forms of a noun that captions need. */
type Noun = Readonly<{
  one: string;
  /** The form after two and three; in Russian the genitive singular. */
  few: string;
  /** The form after 'several'; in Russian the genitive plural. */
  many: string;
  gender: 'm' | 'f';
  /** As a keyword: without an article or number, and with its sense if the noun has several. */
  keyword: string;
}>;

/**
 * The 80 classes of COCO in the model's order, in English, Spanish, Portuguese, French and Russian:
 * singular~plural, in Russian singular~genitive~genitive plural; `f` before feminine nouns; `=` before another keyword
 * than the singular.
 */
const table = `
person~people|f persona~personas|f pessoa~pessoas|f personne~personnes|человек~человека~человек
bicycle~bicycles|f bicicleta~bicicletas|f bicicleta~bicicletas|vélo~vélos|велосипед~велосипеда~велосипедов
car~cars|coche~coches|carro~carros|f voiture~voitures|автомобиль~автомобиля~автомобилей
motorcycle~motorcycles|f motocicleta~motocicletas|f motocicleta~motocicletas|f moto~motos|мотоцикл~мотоцикла~мотоциклов
airplane~airplanes|avión~aviones|avião~aviões|avion~avions|самолёт~самолёта~самолётов
bus~buses|autobús~autobuses|ônibus~ônibus|bus~bus|автобус~автобуса~автобусов
train~trains|tren~trenes|trem~trens|train~trains|поезд~поезда~поездов
truck~trucks|camión~camiones|caminhão~caminhões|camion~camions|грузовик~грузовика~грузовиков
boat~boats|barco~barcos|barco~barcos|bateau~bateaux|лодка~лодки~лодок
traffic light~traffic lights|semáforo~semáforos|semáforo~semáforos|feu de circulation~feux de circulation|светофор~светофора~светофоров
fire hydrant~fire hydrants|f boca de incendios~bocas de incendios|hidrante~hidrantes|f bouche d'incendie~bouches d'incendie|пожарный гидрант~пожарных гидранта~пожарных гидрантов
stop sign~stop signs|f señal de stop~señales de stop|f placa de pare~placas de pare|panneau stop~panneaux stop|знак «стоп»~знака «стоп»~знаков «стоп»
parking meter~parking meters|parquímetro~parquímetros|parquímetro~parquímetros|parcmètre~parcmètres|паркомат~паркомата~паркоматов
bench~benches|banco~bancos=banco (asiento)|banco~bancos=banco (assento)|banc~bancs|скамейка~скамейки~скамеек
bird~birds|f ave~aves|f ave~aves|oiseau~oiseaux|птица~птицы~птиц
cat~cats|gato~gatos|gato~gatos|chat~chats|кошка~кошки~кошек
dog~dogs|perro~perros|cachorro~cachorros|chien~chiens|собака~собаки~собак
horse~horses|caballo~caballos|cavalo~cavalos|cheval~chevaux|лошадь~лошади~лошадей
sheep~sheep|f oveja~ovejas|f ovelha~ovelhas|mouton~moutons|овца~овцы~овец
cow~cows|f vaca~vacas|f vaca~vacas|f vache~vaches|корова~коровы~коров
elephant~elephants|elefante~elefantes|elefante~elefantes|éléphant~éléphants|слон~слона~слонов
bear~bears|oso~osos|urso~ursos|ours~ours|медведь~медведя~медведей
zebra~zebras|f cebra~cebras|f zebra~zebras|zèbre~zèbres|зебра~зебры~зебр
giraffe~giraffes|f jirafa~jirafas|f girafa~girafas|f girafe~girafes|жираф~жирафа~жирафов
backpack~backpacks|f mochila~mochilas|f mochila~mochilas|sac à dos~sacs à dos|рюкзак~рюкзака~рюкзаков
umbrella~umbrellas|paraguas~paraguas|guarda-chuva~guarda-chuvas|parapluie~parapluies|зонт~зонта~зонтов
handbag~handbags|bolso~bolsos|f bolsa~bolsas|sac à main~sacs à main|сумка~сумки~сумок
tie~ties|f corbata~corbatas|f gravata~gravatas|f cravate~cravates|галстук~галстука~галстуков
suitcase~suitcases|f maleta~maletas|f mala~malas|f valise~valises|чемодан~чемодана~чемоданов
frisbee~frisbees|disco volador~discos voladores|frisbee~frisbees|frisbee~frisbees|летающий диск~летающих диска~летающих дисков=фрисби
pair of skis~pairs of skis=skis|par de esquís~pares de esquís=esquís|par de esquis~pares de esquis=esquis|f paire de skis~paires de skis=skis|пара лыж~пары лыж~пар лыж=лыжи
snowboard~snowboards|f tabla de snowboard~tablas de snowboard|snowboard~snowboards|snowboard~snowboards|сноуборд~сноуборда~сноубордов
ball~balls|f pelota~pelotas|f bola~bolas|ballon~ballons|мяч~мяча~мячей
kite~kites|f cometa~cometas=cometa (juguete)|f pipa~pipas=pipa (brinquedo)|cerf-volant~cerfs-volants|воздушный змей~воздушных змея~воздушных змеев
baseball bat~baseball bats|bate de béisbol~bates de béisbol|taco de beisebol~tacos de beisebol|f batte de baseball~battes de baseball|бейсбольная бита~бейсбольные биты~бейсбольных бит
baseball glove~baseball gloves|guante de béisbol~guantes de béisbol|f luva de beisebol~luvas de beisebol|gant de baseball~gants de baseball|бейсбольная перчатка~бейсбольные перчатки~бейсбольных перчаток
skateboard~skateboards|monopatín~monopatines|skate~skates|skateboard~skateboards|скейтборд~скейтборда~скейтбордов
surfboard~surfboards|f tabla de surf~tablas de surf|f prancha de surfe~pranchas de surfe|f planche de surf~planches de surf|доска для сёрфинга~доски для сёрфинга~досок для сёрфинга
tennis racket~tennis rackets|f raqueta de tenis~raquetas de tenis|f raquete de tênis~raquetes de tênis|f raquette de tennis~raquettes de tennis|теннисная ракетка~теннисные ракетки~теннисных ракеток
bottle~bottles|f botella~botellas|f garrafa~garrafas|f bouteille~bouteilles|бутылка~бутылки~бутылок
wine glass~wine glasses|f copa de vino~copas de vino|f taça de vinho~taças de vinho|verre à vin~verres à vin|бокал~бокала~бокалов
cup~cups|f taza~tazas|f xícara~xícaras|f tasse~tasses|чашка~чашки~чашек
fork~forks|tenedor~tenedores|garfo~garfos|f fourchette~fourchettes|вилка~вилки~вилок
knife~knives|cuchillo~cuchillos|f faca~facas|couteau~couteaux|нож~ножа~ножей
spoon~spoons|f cuchara~cucharas|f colher~colheres|f cuillère~cuillères|ложка~ложки~ложек
bowl~bowls|cuenco~cuencos|f tigela~tigelas|bol~bols|миска~миски~мисок
banana~bananas|plátano~plátanos|f banana~bananas|f banane~bananes|банан~банана~бананов
apple~apples|f manzana~manzanas|f maçã~maçãs|f pomme~pommes|яблоко~яблока~яблок
sandwich~sandwiches|sándwich~sándwiches|sanduíche~sanduíches|sandwich~sandwichs|сэндвич~сэндвича~сэндвичей
orange~oranges|f naranja~naranjas|f laranja~laranjas|f orange~oranges|апельсин~апельсина~апельсинов
head of broccoli~heads of broccoli=broccoli|brócoli~brócolis|brócolis~brócolis|brocoli~brocolis|кочан брокколи~кочана брокколи~кочанов брокколи=брокколи
carrot~carrots|f zanahoria~zanahorias|f cenoura~cenouras|f carotte~carottes|морковка~морковки~морковок=морковь
hot dog~hot dogs|perrito caliente~perritos calientes|cachorro-quente~cachorros-quentes|hot-dog~hot-dogs|хот-дог~хот-дога~хот-догов
pizza~pizzas|f pizza~pizzas|f pizza~pizzas|f pizza~pizzas|пицца~пиццы~пицц
donut~donuts|dónut~dónuts|f rosquinha~rosquinhas|donut~donuts|пончик~пончика~пончиков
cake~cakes|f tarta~tartas|bolo~bolos|gâteau~gâteaux|торт~торта~тортов
chair~chairs|f silla~sillas|f cadeira~cadeiras|f chaise~chaises|стул~стула~стульев
couch~couches|sofá~sofás|sofá~sofás|canapé~canapés|диван~дивана~диванов
potted plant~potted plants|f planta en maceta~plantas en maceta|f planta em vaso~plantas em vaso|f plante en pot~plantes en pot|растение в горшке~растения в горшках~растений в горшках
bed~beds|f cama~camas|f cama~camas|lit~lits|кровать~кровати~кроватей
table~tables|f mesa~mesas|f mesa~mesas|f table~tables|стол~стола~столов
toilet~toilets|inodoro~inodoros|vaso sanitário~vasos sanitários|f cuvette de toilettes~cuvettes de toilettes=toilettes|унитаз~унитаза~унитазов
screen~screens|f pantalla~pantallas|f tela~telas=tela (monitor)|écran~écrans|экран~экрана~экранов
laptop~laptops|ordenador portátil~ordenadores portátiles|laptop~laptops|ordinateur portable~ordinateurs portables|ноутбук~ноутбука~ноутбуков
computer mouse~computer mice|ratón de ordenador~ratones de ordenador|mouse~mouses|f souris d'ordinateur~souris d'ordinateur|компьютерная мышь~компьютерные мыши~компьютерных мышей
remote control~remote controls|mando a distancia~mandos a distancia|controle remoto~controles remotos|f télécommande~télécommandes|пульт~пульта~пультов=пульт дистанционного управления
keyboard~keyboards|teclado~teclados|teclado~teclados|clavier~claviers|клавиатура~клавиатуры~клавиатур
mobile phone~mobile phones|teléfono móvil~teléfonos móviles|celular~celulares|téléphone portable~téléphones portables|мобильный телефон~мобильных телефона~мобильных телефонов
microwave~microwaves|microondas~microondas|micro-ondas~micro-ondas|four à micro-ondes~fours à micro-ondes|микроволновая печь~микроволновые печи~микроволновых печей
oven~ovens|horno~hornos|forno~fornos|four~fours|духовка~духовки~духовок
toaster~toasters|f tostadora~tostadoras|f torradeira~torradeiras|grille-pain~grille-pain|тостер~тостера~тостеров
sink~sinks|fregadero~fregaderos|f pia~pias|évier~éviers|раковина~раковины~раковин=раковина (сантехника)
refrigerator~refrigerators|frigorífico~frigoríficos|f geladeira~geladeiras|réfrigérateur~réfrigérateurs|холодильник~холодильника~холодильников
book~books|libro~libros|livro~livros|livre~livres|книга~книги~книг
clock~clocks|reloj~relojes|relógio~relógios|f horloge~horloges|часы~циферблата~циферблатов
vase~vases|jarrón~jarrones|vaso~vasos|vase~vases|ваза~вазы~ваз
pair of scissors~pairs of scissors=scissors|par de tijeras~pares de tijeras=tijeras|f tesoura~tesouras|f paire de ciseaux~paires de ciseaux=ciseaux|пара ножниц~пары ножниц~пар ножниц=ножницы
teddy bear~teddy bears|osito de peluche~ositos de peluche|ursinho de pelúcia~ursinhos de pelúcia|ours en peluche~ours en peluche|плюшевый мишка~плюшевых мишки~плюшевых мишек
hair dryer~hair dryers|secador de pelo~secadores de pelo|secador de cabelo~secadores de cabelo|sèche-cheveux~sèche-cheveux|фен~фена~фенов
toothbrush~toothbrushes|cepillo de dientes~cepillos de dientes|f escova de dentes~escovas de dentes|f brosse à dents~brosses à dents|зубная щётка~зубные щётки~зубных щёток`;

/** The classes in the order of the model's class numbers. */
export const cocoClasses: readonly Readonly<Record<Language, Noun>>[] = table
  .trim()
  .split('\n')
  .map((row) => {
    const [en, es, pt, fr, ru] = row.split('|').map(toNoun);
    if (!en || !es || !pt || !fr || !ru) throw new Error(`a class lacks a language: ${row}`);
    return { en, es, pt, fr, ru };
  });

function toNoun(entry: string): Noun {
  const isFeminine = entry.startsWith('f ');
  const [forms = '', other] = entry.slice(isFeminine ? 2 : 0).split('=');
  const [one = '', few = '', many = few] = forms.split('~');
  return { one, few, many, gender: isFeminine ? 'f' : 'm', keyword: other ?? one };
}

const byLabel = new Map(cocoClasses.map((nouns) => [nouns.en.one, nouns]));

/** The nouns of a class by its label. */
export function nounsOf(label: string): Readonly<Record<Language, Noun>> | null {
  return byLabel.get(label) ?? null;
}

/** The name of an object in a language. */
export function nameObject(label: string, lang: Language): string {
  return nounsOf(label)?.[lang].one ?? label;
}
