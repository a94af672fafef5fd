"""The words of the corpus, as tables: one line a word, English first, columns between
bars, commonest words first.

Multi-word Korean is joined by underscores. `lexicon` reads these tables; the order of
lines is a word's rank.
"""

# english, plural if irregular | korean | what it is
NOUNS = """
man men | 남자 | person adult
dog | 개 | animal pet canine
woman women | 여자 | person adult
book | 책 | thing readable hard bound gift owned
cat | 고양이 | animal pet feline
teacher | 선생님 | person adult hon scholar
child children | 아이 | person young
student | 학생 | person young scholar
rabbit | 토끼 | animal pet small
puppy puppies | 강아지 | animal pet canine young
horse | 말 | animal livestock large ridden
friend | 친구 | person adult
monkey | 원숭이 | animal wild
kitten | 아기_고양이 | animal pet feline young
lion | 사자 | animal wild large
computer | 컴퓨터 | thing machine electric screen owned
nurse | 간호사 | person adult medic
mother | 어머니 | person adult hon kin
lawyer | 변호사 | person adult
father | 아버지 | person adult hon kin
boy | 소년 | person young
girl | 소녀 | person young
letter | 편지 | thing readable paper hideable gift
doctor | 의사 | person adult medic
grandmother | 할머니 | person adult hon kin
grandfather | 할아버지 | person adult hon kin
singer | 가수 | person adult artist
neighbor | 이웃 | person adult
daughter | 딸 | person young kin
guest | 손님 | person adult hon
box boxes | 상자 | thing container load lidded gift
bag | 가방 | thing container load lidded owned gift
door | 문 | thing fixed opening
window | 창문 | thing fixed opening glass
apple | 사과 | thing food fruit
bread | 빵 | thing food baked mass
water | 물 | thing drink mass plain
milk | 우유 | thing drink mass plain
coffee | 커피 | thing drink mass brewed
tea | 차 | thing drink mass brewed
car | 자동차 | thing vehicle motor owned
bicycle | 자전거 | thing vehicle ridden owned gift
baby babies | 아기 | person young infant
bird | 새 | animal bird
professor | 교수님 | person adult hon scholar
son | 아들 | person young kin
phone | 전화기 | thing machine electric screen owned
radio | 라디오 | thing machine electric sound
camera | 카메라 | thing machine electric owned gift
lamp | 전등 | thing machine electric light
television | 텔레비전 | thing machine electric screen sound
chair | 의자 | thing furniture seat
table | 탁자 | thing furniture
desk | 책상 | thing furniture
bed | 침대 | thing furniture seat
mirror | 거울 | thing glass furniture
picture | 그림 | thing drawing hideable gift
newspaper | 신문 | thing readable paper
novel | 소설 | thing readable hard bound
diary diaries | 일기 | thing readable hideable private
report | 보고서 | thing readable hard paper
story stories | 이야기 | thing heard tale
song | 노래 | thing heard sung
ball | 공 | thing toy round
doll | 인형 | thing toy cuddly gift
toy | 장난감 | thing toy gift
guitar | 기타 | thing instrument owned gift
cup | 컵 | thing dish glass
bottle | 병 | thing dish glass
plate | 접시 | thing dish glass
basket | 바구니 | thing container load
umbrella | 우산 | thing tool owned gift
key | 열쇠 | thing tool pocket owned hideable
knife knives | 칼 | thing tool blade
rope | 밧줄 | thing tool line
ladder | 사다리 | thing tool climbed
pencil | 연필 | thing tool pocket writing owned gift
coat | 외투 | thing garment owned gift
shirt | 셔츠 | thing garment owned gift
sweater | 스웨터 | thing garment owned gift
dress dresses | 원피스 | thing garment owned gift
hat | 모자 | thing hat owned gift
ring | 반지 | thing pocket owned hideable gift
meat | 고기 | thing food cooked mass
fish | 생선 | thing food cooked mass
rice | 밥 | thing food mass grain
soup | 국 | thing food mass liquid
cheese | 치즈 | thing food mass
cake | 케이크 | thing food baked dessert gift
cookie | 과자 | thing food baked dessert gift
egg | 달걀 | thing food
orange | 오렌지 | thing food fruit
strawberry strawberries | 딸기 | thing food fruit
potato potatoes | 감자 | thing food vegetable
carrot | 당근 | thing food vegetable
bone | 뼈 | thing bone hideable
flower | 꽃 | thing plant bloom gift
bus buses | 버스 | thing vehicle motor transit
train | 기차 | thing vehicle transit
truck | 트럭 | thing vehicle motor
boat | 배 | thing vehicle
cow | 소 | animal livestock large
pig | 돼지 | animal livestock large
duck | 오리 | animal livestock bird
goat | 염소 | animal livestock
mouse mice | 쥐 | animal small prey
squirrel | 다람쥐 | animal small
fox foxes | 여우 | animal wild
bear | 곰 | animal wild large
tiger | 호랑이 | animal wild large
elephant | 코끼리 | animal wild large
farmer | 농부 | person adult
painter | 화가 | person adult artist
writer | 작가 | person adult artist
cook | 요리사 | person adult
soldier | 군인 | person adult guard
thief thieves | 도둑 | person adult thief
reporter | 기자 | person adult
scientist | 과학자 | person adult scholar
boss bosses | 사장님 | person adult hon
"""

NAMES = "Mina 미나, Minsu 민수, Sora 소라, Jiho 지호, Yuna 유나, Junho 준호"

# english, plural | korean | preposition | what it is
PLACES = """
park | 공원 | in | place outdoor open usual roam played
house | 집 | in | place indoor building guarded cleaned usual roam
school | 학교 | at | place indoor building cleaned studied usual taught
garden | 정원 | in | place outdoor open usual roam played
room | 방 | in | place indoor cleaned usual roam
kitchen | 부엌 | in | place indoor cleaned stove usual
library libraries | 도서관 | in | place indoor building studied usual taught
hospital | 병원 | in | place indoor building usual
market | 시장 | at | place outdoor trade usual wheels
store | 가게 | in | place indoor trade building guarded usual
street | 거리 | on | place outdoor road usual roam wheels played
village | 마을 | in | place outdoor open guarded served usual roam wheels played
beach beaches | 바닷가 | at | place outdoor open water usual roam played
river | 강 | in | place outdoor water deep
forest | 숲 | in | place outdoor open usual roam
farm | 농장 | on | place outdoor open usual roam
office | 사무실 | in | place indoor cleaned studied usual
classroom | 교실 | in | place indoor cleaned studied usual taught
restaurant | 식당 | in | place indoor building stove cleaned usual
museum | 박물관 | in | place indoor building guarded usual
station | 역 | at | place outdoor building served usual wheels
mountain | 산 | on | place outdoor climbed
"""

# english | one sense for each kind of noun: korean, form if not an ordinary adjective,
# kinds after ":" (! means not) |
#   use: both, before (never a predicate), state (may begin and end), after (predicate
#   only)
ADJECTIVES = """
old | 늙 past : person animal !hon !young !kin ; 낡 past : garment hat toy bag ; \
오래되 past : bound paper furniture fixed machine vehicle instrument dish tale sung \
drawing tool container building village market park | before
small | 작 : animal thing place !mass !tale !sung !line !blade !fixed !tool !bone \
!large !deep !wild !paper !private ; 작 : key window door bone | both
big | 크 : animal thing place !mass !tale !sung !small !pocket !line !blade !garment \
!readable !prey !hideable !writing !young !bird | both
young | 젊 : adult !hon !kin ; 어리 : child student boy girl animal !puppy !kitten \
| before
new | 새 bare : bound paper furniture owned machine vehicle instrument dish sung tool \
container toy building office !hideable !private | before
heavy | 두껍 : coat sweater ; 무겁 : load furniture instrument machine ladder book \
truck !light !phone | both
light | 가볍 : load seat tool phone camera ball bicycle !line !key !bed ; \
얇 : garment ; 밝 : room kitchen office classroom library restaurant ; 연하 : brewed \
| both
cold | 차갑 : drink liquid ; 춥 : indoor street forest village mountain station | state
cold | 냉정하 : adult !kin !hon !medic !friend | before
hot | 뜨겁 : drink liquid grain cooked !milk ; \
덥 : room house kitchen office classroom store restaurant beach street village | state
strong | 힘세 : person animal !young !bird !small !hon !kin !medic !feline ; \
진하 : brewed ; 튼튼하 : furniture rope container ladder | both
hard | 딱딱하 : bread cookie cheese seat bone ; 어렵 : bound report sung | both
thick | 두껍 : bound report | both
kind | 친절하 : person !infant !thief !young | both
happy | 행복하 : person | state
sad | 슬프 : person tale sung novel !infant | state
busy | 바쁘 : adult !thief | state
tired | 피곤하 : person !infant | state
hungry | 배고프 : person animal !hon | state
sick | 아프 : person animal !medic | state
smart | 똑똑하 : person canine monkey fox !infant !thief | both
brave | 용감하 : person !infant !thief !kin !hon | both
lazy | 게으르 : person animal !infant !hon !kin !prey !wild | both
famous | 유명하 : artist professor doctor lawyer scientist cook novel picture song \
restaurant museum market | both
poor | 가난하 : adult !hon !kin !medic !lawyer !boss | both
healthy | 건강하 : person animal !wild !prey !medic | both
cute | 귀엽 : child puppy kitten pet rabbit duck squirrel infant doll | both
pretty | 예쁘 : woman girl bloom garment hat doll cup plate ring feline | both
beautiful | 아름답 : woman bloom sung tale drawing ring place !trade !indoor !road \
!station !farm | both
loyal | 충성스럽 : canine soldier !young | both
gentle | 순하 : canine cow horse goat rabbit elephant | both
fluffy | 복슬복슬하 : canine feline rabbit | both
fierce | 사납 : wild dog !monkey !elephant | both
fast | 빠르 : horse fox wild vehicle !elephant !boat !bear !monkey | both
slow | 느리 : cow elephant vehicle !ridden !car | both
sharp | 날카롭 : blade | both
long | 길 : line letter novel report tale | both
short | 짧 : line letter story sung pencil report | both
expensive | 비싸 : owned instrument furniture meat fish cake restaurant !key !pencil \
| both
cheap | 싸 : tool owned garment fruit vegetable toy !ring !car !key !computer | both
dirty | 더럽 : garment dish container indoor road toy hat vehicle furniture river \
!hospital !library | state
dirty | 더럽 : readable | after
clean | 깨끗하 : garment dish indoor road plain water village !milk | state
empty | 비 past : container dish bottle indoor station !plate !house !school !museum \
| before
wet | 젖 past : garment hat umbrella newspaper puppy dog cat | before
broken | 고장_나 past : machine motor bicycle ; 부러지 past : pencil ladder seat \
| before
red | 빨갛 : apple strawberry garment hat umbrella bloom ball car bicycle bus bag | both
white | 하얗 : canine feline rabbit duck goat horse garment hat cup plate bird bloom \
| both
black | 까맣 : canine feline goat bird garment hat umbrella bag car horse phone | both
yellow | 노랗 : garment umbrella bloom bus bag hat pencil | both
blue | 파랗 : garment umbrella bag hat bicycle car door bird ball !duck | both
interesting | 재미있 has : bound report tale newspaper letter museum | both
boring | 지루하 : bound report story newspaper | both
delicious | 맛있 has : food brewed milk | both
fresh | 신선하 : fruit vegetable egg bread milk meat fish | both
sweet | 달 : fruit dessert | both
warm | 따뜻하 : garment plain liquid brewed indoor bed bread !hospital !museum !store \
| state
soft | 부드럽 : bread cake sweater | both
quiet | 조용하 : place student neighbor child man woman writer !market !beach \
!mountain !river !farm | state
noisy | 시끄럽 : place child neighbor duck !mountain !river !forest !farm !garden \
!museum | state
dangerous | 위험하 : wild blade street mountain ladder river !monkey !fox | both
deep | 깊 : river forest | both
tall | 키_크 : adult !hon !kin !infant | before
tall | 높 : mountain | both
thin | 마르 past : adult cow dog cat horse !hon !kin | before
honest | 정직하 : adult !thief !kin student | both
diligent | 부지런하 : adult student !thief !kin | both
cheerful | 명랑하 : person !infant !thief !hon | both
clever | 영리하 : fox monkey canine child boy girl thief | both
rich | 부유하 : adult !hon !kin !thief !soldier | both
lonely | 외롭 : adult !kin | state
thirsty | 목마르 : person animal !hon !infant | state
calm | 침착하 : adult !kin !thief | both
strange | 이상하 : tale sung letter drawing | both
"""

# english: base past participle -ing if irregular, rest after "+" | korean, honorific,
# negative | subjects | objects |
#   prefers | adverbs | notes
INTRANSITIVE = """
sleep slept slept | 자 hon:주무시 | person animal | | young pet infant | quiet well |
run ran run running | 달리 | person animal !infant !bird !large !hon | | canine young \
| quick slow | at:played
come came come | 오 | person | | kin hon | quick quiet | goal:to
go went gone | 가 | person !infant | | | quick quiet | goal:to
laugh laughed laughed | 웃 | person | | young | loud happy |
cry cried cried | 울 | person | | young infant | loud quiet |
work worked worked | 일하 | adult | | medic artist farmer cook | hard quiet |
rest rested rested | 쉬 | person !infant | | hon | quiet |
sing sang sung | 노래하 | person !infant | | artist young | loud well happy |
dance danced danced | 춤추 | person !infant | | artist young | well happy |
walk walked walked | 걷 | person animal !infant !bird | | hon | slow quiet quick \
| at:played
swim swam swum swimming | 수영하 | person duck bear canine elephant !infant !hon | \
| young | well quick slow | at:water
play played played | 놀 | person animal !adult !large | | young pet | happy quiet \
| at:played
study studied studied | 공부하 | scholar child boy girl kin !hon | | scholar \
| hard quiet | at:studied
jump jumped jumped | 뛰어오르 | animal child boy girl !large !bird | | feline young | \
| noplace
bark barked barked | 짖 | canine | | canine | loud |
growl growled growled | 으르렁거리 | canine wild !monkey | | canine | loud quiet |
purr purred purred | 가르랑거리 | feline | | feline | quiet |
fly flew flown | 날 | bird !duck | | bird | quick | noplace
wait waited waited | 기다리 | person !infant | | | quiet |
shout shouted shouted | 소리치 | person !infant !hon | | | loud |
exercise exercised exercised | 운동하 | person !infant | | | hard | at:played
cook cooked cooked | 요리하 | adult !cook | | kin | well quick | at:stove
arrive arrived arrived | 도착하 | person !infant | | | | goal:at once
arrive arrived arrived | 도착하 | transit truck | | transit | | goal:at once at:served
return returned returned | 돌아오 | person !infant | | kin | quick quiet | goal:to
stop stopped stopped stopping | 멈추 | vehicle !ridden !boat | | transit | \
| once at:wheels
"""

TRANSITIVE = """
see saw seen | 보 | person !infant | person animal thing place !heard !fixed !mass \
!private | | | once noplace rare fails
see saw seen | 보 | animal | person animal | | | once noplace rare mishap fails
find found found | 찾 | person | child animal owned toy readable tool pocket !wild \
| canine young | quick | once rare fails
like liked liked | 좋아하 | person !infant \
| person animal readable heard fruit drink dessert place bloom !thief !hospital \
!street !prey !private !infant !report | | | state
love loved loved | 사랑하 | person | person pet !thief !neighbor !reporter !lawyer \
| kin pet infant | | state
hate hated hated | 싫어하 | person | thief prey hospital wild carrot fish cheese \
report !infant | | | state
meet met met | 만나 | person !infant | person !infant | | | once plan
help helped helped | 돕 | person !infant !thief | person pet !thief | medic kin \
| quiet quick | plan
call called called | 부르 | person !infant | person pet !infant !rabbit | kin \
| loud quiet | once noplace
follow followed followed | 따르 | person canine duck | person !infant | canine young \
| quiet |
chase chased chased | 쫓 | adult canine boy girl !hon !medic !kin | thief \
| canine guard | quick |
chase chased chased | 쫓 | canine feline wild child boy girl !elephant !monkey \
| pet prey small bird goat | canine feline wild | quick |
bite bit bitten | 물 | canine feline wild mouse !elephant \
| person bone thief !hon !infant | canine feline | | once mishap
hug hugged hugged hugging | 안 | person !infant \
| child infant kin pet cuddly puppy kitten | young pet kin infant | happy |
teach taught taught | 가르치 | adult !medic !thief !guest !soldier \
| young !animal !infant | scholar | well | at:taught plan
invite invited invited | 초대하 | person !infant !thief | person !infant !thief !kin \
| hon | | once plan noplace
visit visited visited | 방문하 | person !infant \
| library school hospital museum village farm office house | | | once noplace plan
wait waited waited +for | 기다리 | person !infant \
| person transit letter !infant !thief | kin transit | quiet |
listen listened listened +to | 듣 | person !infant | heard radio | sound \
| quiet happy careful |
read read read | 읽 | person !infant | readable !private | scholar \
| quick slow loud quiet careful | plan
write wrote written | 쓰 | person !infant | letter report novel diary | artist scholar \
| quick slow quiet careful | plan creates
buy bought bought | 사 | person !infant | thing !plain !fixed !heard !private !bone \
!report !drawing !key !transit !truck !boat | | | once at:trade plan
sell sold sold | 팔 | adult !thief !medic !soldier \
| fruit vegetable owned garment furniture vehicle readable meat fish egg !letter \
!private !report !key | | | at:trade plan
make made made | 만들 | person !infant !medic \
| cuddly toy furniture soup cookie ladder !bed !ball !glass | | quick slow careful \
| noplace plan creates
build built built | 짓 | adult !thief !medic !artist \
| house school hospital library museum | | quick slow | noplace plan long creates
bake baked baked | 굽 | adult child girl boy daughter son !infant !soldier !thief \
| baked | cook kin | quick well | at:stove plan creates
eat ate eaten | 먹 hon:드시 | person !infant | food | young | quick slow happy | gone
eat ate eaten | 먹 | canine feline wild !elephant | meat fish bread rice egg | pet \
| quick slow | gone
eat ate eaten | 먹 | livestock rabbit squirrel mouse monkey elephant \
| fruit vegetable bread | pet | quick slow | gone
drink drank drunk | 마시 hon:드시 | person | drink | | quick slow | gone
drink drank drunk | 마시 | animal !bird | plain | pet young | quick slow | gone
wear wore worn | 입 | person !infant | garment !dress | | | noplace plan
wash washed washed | 씻 | person !infant | dish fruit vegetable | | quick careful \
| at:stove plan
clean cleaned cleaned | 청소하 | person !infant !hon | cleaned | | quick quiet well \
| noplace plan
open opened opened | 열 | person !infant | opening lidded | | quick slow quiet careful \
| once noplace
close closed closed | 닫 | person !infant | opening | | quick slow quiet careful \
| once noplace
move moved moved | 옮기 | person !infant | furniture load instrument | \
| quick slow quiet careful | plan
carry carried carried | 나르 | adult !hon | load furniture | | quick slow | plan
fix fixed fixed | 고치 | adult !hon !medic \
| machine motor bicycle furniture instrument !glass | electric | quick well | plan
break broke broken | 깨 | person feline monkey !hon | glass | young | | once mishap
throw threw thrown | 던지 | person monkey !infant !hon | ball | young | | once at:played
kick kicked kicked | 차 | person horse !infant !hon | ball | young | | at:played
catch caught caught | 잡 | adult canine boy girl !hon !medic !thief !kin | thief ball \
| canine guard | quick | once fails
catch caught caught | 잡 | canine feline fox !puppy | mouse bird duck | feline | quick \
| once fails
hide hid hidden | 숨기 | person !infant !hon | hideable !bone | thief young \
| quiet quick | once
steal stole stolen | 훔치 | thief | owned hideable pocket !diary | thief | quiet quick \
| once mishap
lose lost lost | 잃어버리 | person !infant | owned pocket !car | young | \
| once mishap noplace
draw drew drawn | 그리 | person !infant !thief \
| picture animal bloom house mountain !young | artist young | well quick slow \
| noplace plan
push pushed pushed | 밀 | person !infant !hon | seat table desk door box motor !bus | \
| slow | noplace
pull pulled pulled | 당기 | canine | line | canine | | noplace
pull pulled pulled | 당기 | person !infant !hon | line door chair | | | noplace
cut cut cut cutting | 자르 | person !infant \
| rope bread cake fruit vegetable meat cheese !strawberry | cook | quick careful \
| at:stove
choose chose chosen | 고르 | person !infant | garment hat bound toy cake bloom ring | \
| careful quick | once plan
turn turned turned +off | 끄 | person !infant | electric !camera !phone | electric \
| quick quiet | once noplace
turn turned turned +on | 켜 | person !infant | electric !camera !phone | electric \
| quick quiet | once noplace
use used used | 사용하 | person !infant | machine tool !light !line | electric \
| careful well | plan
ride rode ridden | 타 | person !infant | ridden transit | young | | at:played plan
drive drove driven | 운전하 | adult | motor | | slow careful well | noplace plan
raise raised raised | 기르 | adult !soldier !thief | pet livestock | pet kin | well \
| noplace long
stroke stroked stroked | 쓰다듬 | person !infant | pet livestock !duck | pet young \
| quiet careful |
guard guarded guarded | 지키 | canine guard !young | guarded | canine | | noplace
climb climbed climbed | 오르 | person !infant !hon | climbed | | slow quick careful \
| noplace
chew chewed chewed | 씹 | canine | bone meat | canine | slow quiet | gone
bury buried buried | 묻 | canine | bone | canine | quick quiet | at:played
lick licked licked | 핥 | canine feline cow | plate child boy girl bone \
| canine feline | |
scratch scratched scratched | 할퀴 | feline | person furniture door !hon !infant \
| feline | | once mishap
remember remembered remembered | 기억하 | person !infant \
| person tale sung bound village !infant | | | state
miss missed missed | 그리워하 | person !infant \
| kin friend teacher pet village professor | pet kin | | state
respect respected respected | 존경하 | person !infant !thief \
| hon scientist doctor writer nurse soldier | hon | | state
trust trusted trusted | 믿 | person !infant | person !infant !thief | canine medic | \
| state
know knew known | 알 neg:모르 | person !infant \
| person tale sung village !infant !thief | | | state present
forget forgot forgotten forgetting | 잊 | person !infant | sung tale | | \
| once noplace mishap
praise praised praised | 칭찬하 | adult !thief | person canine !infant !thief !kin \
| scholar | loud |
scold scolded scolded | 꾸짖 | adult | young canine feline thief !infant | young \
| loud quiet |
wake woke woken +up | 깨우 | person canine !infant | person canine !infant | young kin \
| quiet | once
watch watched watched | 지켜보 | person feline canine !infant \
| animal child infant boy girl | feline wild | quiet | noplace
receive received received | 받 | person !infant | letter gift !bound | | | once
pick picked picked +up | 줍 | person !infant !hon | ball pocket toy | | quick quiet \
| once
pour poured poured | 붓 | person !infant | plain | | slow careful quick | at:stove
"""

# recipients are people; objects are what is given
DITRANSITIVE = """
give gave given | 주 to:드리 | person !infant !thief \
| gift toy fruit bloom dessert drink !key !plain !car | | quiet | plan
show showed shown | 보여_주 to:보여_드리 | person !infant !thief \
| drawing gift letter camera report ring | artist | quiet | plan
send sent sent | 보내 | person !infant !thief \
| letter gift camera garment bound ring report !toy !ridden | | quick quiet \
| plan noplace
lend lent lent | 빌려_주 to:빌려_드리 | adult student child friend !thief !infant \
| bound umbrella bicycle car camera pencil knife ladder | | | plan noplace
"""

# be in a place: who or what | where
LOCATIVE = """
person | usual
animal | roam
owned toy tool furniture machine container readable drawing !car !bicycle | indoor
vehicle !boat !train | wheels
train | served
boat | water
"""

SAYING = """
say said said | 말하 hon:말씀하 | person !infant | said
think thought thought | 생각하 | person !infant | thought
believe believed believed | 믿 | person !infant | thought
hear heard heard | 듣 | person !infant | heard fails
explain explained explained | 설명하 | adult scholar !infant !thief | said
"""

# english | korean | tenses it goes with
TIMES = """
yesterday | 어제 | past
last night | 어젯밤 | past
this morning | 오늘_아침 | past
last week | 지난주 | past
tomorrow | 내일 | future
tonight | 오늘_밤 | future
next week | 다음_주 | plan
now | 지금 | progressive
every day | 매일 | habit
every morning | 매일_아침 | habit
these days | 요즘 | habit
"""

FREQUENCIES = "often 자주 mishap, always 항상, sometimes 가끔 mishap"
MANNERS = ("quickly 빨리 quick, slowly 천천히 slow, quietly 조용히 quiet, "
           "carefully 조심스럽게 careful, happily 즐겁게 happy, "
           "loudly 큰_소리로 loud, well 잘 well, hard 열심히 hard")
NUMERALS = "two 두, three 세, four 네, five 다섯"
# the first kind that fits names what is counted
CLASSIFIERS = ("hon 분, person 명, animal 마리, bound 권, diary 권, song 곡, "
               "newspaper 부, report 부, boat 척, vehicle 대, machine 대, garment 벌, "
               "bloom 송이, letter 통, pencil 자루, knife 자루, picture 장, "
               "instrument 대")
