import { languages } from '../facts.ts';
import { cocoClasses } from '../captions/coco.ts';
import type { Labels } from './huggingface/answers.ts';

/** Scenes, places and events of news photographs, in English, Spanish, Portuguese, French and Russian. */
const scenes = `
beach|playa|praia|plage|пляж
sea|mar|mar|mer|море
mountain|montaña|montanha|montagne|гора
forest|bosque|floresta|forêt|лес
river|río|rio|rivière|река
lake|lago|lago|lac|озеро
desert|desierto|deserto|désert|пустыня
snow|nieve|neve|neige|снег
rain|lluvia|chuva|pluie|дождь
sunset|puesta de sol|pôr do sol|coucher de soleil|закат
night|noche|noite|nuit|ночь
fire|incendio|incêndio|incendie|пожар
flood|inundación|inundação|inondation|наводнение
smoke|humo|fumaça|fumée|дым
sky|cielo|céu|ciel|небо
city|ciudad|cidade|ville|город
street|calle|rua|rue|улица
village|pueblo|aldeia|village|деревня
building|edificio|edifício|bâtiment|здание
skyscraper|rascacielos|arranha-céu|gratte-ciel|небоскрёб
bridge|puente|ponte|pont|мост
castle|castillo|castelo|château|замок
church|iglesia|igreja|église|церковь
mosque|mezquita|mesquita|mosquée|мечеть
temple|templo|templo|temple|храм
monument|monumento|monumento|monument|памятник
museum|museo|museu|musée|музей
stadium|estadio|estádio|stade|стадион
airport|aeropuerto|aeroporto|aéroport|аэропорт
railway station|estación de tren|estação de trem|gare|вокзал
harbor|puerto|porto|port|порт
road|carretera|estrada|route|дорога
factory|fábrica|fábrica|usine|завод
construction site|obra en construcción|canteiro de obras|chantier|стройка
farm|granja|fazenda|ferme|ферма
field|campo|campo|champ|поле
garden|jardín|jardim|jardin|сад
flower|flor|flor|fleur|цветок
tree|árbol|árvore|arbre|дерево
hospital|hospital|hospital|hôpital|больница
school|escuela|escola|école|школа
market|mercado|mercado|marché|рынок
restaurant|restaurante|restaurante|restaurant|ресторан
kitchen|cocina|cozinha|cuisine|кухня
office|oficina|escritório|bureau|офис
parliament|parlamento|parlamento|parlement|парламент
press conference|rueda de prensa|coletiva de imprensa|conférence de presse|пресс-конференция
speech|discurso|discurso|discours|речь
meeting|reunión|reunião|réunion|встреча
handshake|apretón de manos|aperto de mão|poignée de main|рукопожатие
protest|protesta|protesto|manifestation|протест
crowd|multitud|multidão|foule|толпа
election|elecciones|eleições|élections|выборы
police|policía|polícia|police|полиция
soldier|soldado|soldado|soldat|солдат
firefighter|bombero|bombeiro|pompier|пожарный
accident|accidente|acidente|accident|авария
war|guerra|guerra|guerre|война
funeral|funeral|funeral|funérailles|похороны
wedding|boda|casamento|mariage|свадьба
concert|concierto|show|concert|концерт
festival|festival|festival|festival|фестиваль
theater|teatro|teatro|théâtre|театр
dance|baile|dança|danse|танец
fashion show|desfile de moda|desfile de moda|défilé de mode|показ мод
red carpet|alfombra roja|tapete vermelho|tapis rouge|красная дорожка
soccer|fútbol|futebol|football|футбол
basketball|baloncesto|basquete|basket-ball|баскетбол
tennis|tenis|tênis|tennis|теннис
cycling|ciclismo|ciclismo|cyclisme|велоспорт
swimming|natación|natação|natation|плавание
athletics|atletismo|atletismo|athlétisme|лёгкая атлетика
skiing|esquí|esqui|ski|лыжный спорт
motor racing|automovilismo|automobilismo|sport automobile|автогонки
child|niño|criança|enfant|ребёнок
family|familia|família|famille|семья
portrait|retrato|retrato|portrait|портрет
art|arte|arte|art|искусство
painting|pintura|pintura|peinture|картина
drawing|dibujo|desenho|dessin|рисунок
map|mapa|mapa|carte géographique|карта
document|documento|documento|document|документ
space|espacio|espaço|espace|космос
rocket|cohete|foguete|fusée|ракета
`;

/** The keywords that a zero-shot model chooses from: scenes, and the built-in classes of objects. */
export const keywordCandidates: readonly Labels[] = [
  ...scenes
    .trim()
    .split('\n')
    .map((line) => line.split('|'))
    .map((words) => Object.fromEntries(languages.map((lang, index) => [lang, words[index] ?? ''])) as Labels),
  ...cocoClasses.map((nouns) => Object.fromEntries(languages.map((lang) => [lang, nouns[lang].keyword])) as Labels),
];
